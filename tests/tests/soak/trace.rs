//! What happens in a run, in order, as its rails, its operations and its caller record it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use exo_rails::{CancellationToken, HookPoint, RunError, RunScope, StopKind};

use crate::plan::Plan;
use crate::random::Random;

/// What happens in a line happens one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Line {
    Main,
    /// A tool call, by its number.
    Tool(u64),
    /// What is done to the run.
    Outside,
}

/// What a rail decides. A number tells each from all others of its run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Choice {
    Continue,
    /// It has changed what the event carries, and goes on.
    Changes(u64),
    Skip {
        substitute: bool,
    },
    Retry {
        number: u64,
        max: u32,
    },
    Abort(u64),
    Fails(u64),
}

/// How a rail ends that does not return.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Broke {
    Dropped,
    Panicked(u64),
}

/// How a turn ends, or is to end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Answered(String),
    Abort {
        rail: String,
        event: HookPoint,
        reason: String,
    },
    Fault {
        rail: String,
        event: HookPoint,
        cause: String,
    },
    Exhausted {
        rail: String,
        event: HookPoint,
        attempts: u32,
        reason: String,
    },
    Operation(String),
    StepLimit,
    Cancelled,
    /// The reader of the stream has dropped it.
    Dropped,
    Other(String),
}

/// A plain hook goes by the path of its function, a rail by its name.
fn name(rail: &str) -> String {
    rail.rsplit("::").next().unwrap_or_default().to_owned()
}

impl From<&RunError> for Outcome {
    fn from(error: &RunError) -> Self {
        match error {
            RunError::Abort(abort) => {
                Self::Abort { rail: name(&abort.rail_name), event: abort.event, reason: abort.reason.to_string() }
            }
            RunError::Fault(fault) => {
                Self::Fault { rail: name(&fault.rail_name), event: fault.event, cause: fault.cause.to_string() }
            }
            RunError::RetriesExhausted(exhausted) => Self::Exhausted {
                rail: name(&exhausted.rail_name),
                event: exhausted.event,
                attempts: exhausted.attempts,
                reason: exhausted.reason.to_string(),
            },
            RunError::Operation(error) => Self::Operation(error.message.clone()),
            RunError::StepLimit { .. } => Self::StepLimit,
            RunError::Cancelled => Self::Cancelled,
            other => Self::Other(other.to_string()),
        }
    }
}

/// An event begins: what its first rail finds.
#[derive(Clone, Debug)]
pub(crate) struct Entered {
    pub(crate) event: HookPoint,
    pub(crate) attempt: u32,
    pub(crate) step: u32,
    /// The stamp in the inputs.
    pub(crate) stamp: Option<u64>,
    pub(crate) substituted: bool,
    /// The text of an answer, or what is new of it.
    pub(crate) text: String,
    /// What has failed.
    pub(crate) error: Option<Outcome>,
}

/// An event ends: what its last rail, which is always called, finds.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    pub(crate) stopped: Option<(String, StopKind)>,
    /// Whether a rail has ended the answer, and whether the answer ends anyhow.
    pub(crate) ends: bool,
    pub(crate) is_last: bool,
    /// The tool calls that the answer asks for.
    pub(crate) calls: Vec<u64>,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    SessionStarts(Option<Outcome>),
    TurnBegins,
    TurnEnds(Outcome),
    Enters(Entered),
    Begins(&'static str, HookPoint),
    Decides(&'static str, Choice),
    Breaks(&'static str, Broke),
    Stamps(u64),
    Leaves(Left),
    OperationBegins {
        stamp: Option<u64>,
        changed: Option<u64>,
    },
    OperationEnds {
        failure: Option<u64>,
    },
    OperationDropped,
    /// A piece of an answer.
    Delta,
    /// Its token is about to be cancelled.
    Cancels,
    /// Its future has been dropped.
    Gone,
    /// What was drawn that no event shows.
    Drawn(&'static str),
    /// What a rail or a tool finds that it must not find.
    Wrong(&'static str),
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) line: Line,
    pub(crate) what: What,
}

#[derive(Debug, Default)]
struct Trace {
    entries: Vec<Entry>,
    lengths: BTreeMap<Line, u64>,
}

/// What the reader of a stream sees.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    Text(String),
    /// The text so far is not part of the last answer.
    Reset,
    Other,
}

/// Counted as long as it lives.
#[derive(Debug)]
pub(crate) struct Live(Arc<AtomicI64>);

impl Live {
    pub(crate) fn new(count: &Arc<AtomicI64>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Clone for Live {
    fn clone(&self) -> Self {
        Self::new(&self.0)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// In the stores of a run or a session, to see that they are its own and that they are dropped.
#[derive(Clone, Debug)]
pub(crate) struct Marker {
    pub(crate) run: u64,
    pub(crate) _live: Live,
}

/// A run, as all that happens in it knows it.
#[derive(Debug)]
pub(crate) struct Run {
    id: u64,
    seed: u64,
    pub(crate) plan: Plan,
    pub(crate) token: CancellationToken,
    pub(crate) live: Arc<AtomicI64>,
    numbers: AtomicU64,
    trace: Mutex<Trace>,
    told: Mutex<Vec<Vec<Told>>>,
}

const SLOTS: usize = 1 << 14;

/// The runs that are under way: rails are shared by all of them, and find theirs by its name.
static RUNS: [Mutex<Option<Arc<Run>>>; SLOTS] = [const { Mutex::new(None) }; SLOTS];

fn slot(id: u64) -> &'static Mutex<Option<Arc<Run>>> {
    &RUNS[usize::try_from(id).unwrap() % SLOTS]
}

impl Run {
    pub(crate) fn new(seed: u64, live: &Arc<AtomicI64>) -> Arc<Self> {
        static IDS: AtomicU64 = AtomicU64::new(0);
        let run = Arc::new(Self {
            id: IDS.fetch_add(1, Ordering::Relaxed),
            seed,
            plan: Plan::draw(&mut Random::of(&[seed])),
            token: CancellationToken::new(),
            live: Arc::clone(live),
            numbers: AtomicU64::new(1),
            trace: Mutex::default(),
            told: Mutex::default(),
        });
        let before = slot(run.id).lock().unwrap().replace(Arc::clone(&run));
        assert!(before.is_none(), "too many runs at once");
        run
    }

    /// The run that this is the scope of. A session has its name, because its events are of no run.
    pub(crate) fn of(scope: &RunScope) -> Arc<Self> {
        let name = scope.session_id().unwrap_or_else(|| scope.run_id());
        let run = slot(name.parse().unwrap()).lock().unwrap().clone();
        run.expect("something happens in a run that is no longer there")
    }

    /// Nothing finds it any more.
    pub(crate) fn forget(&self) {
        slot(self.id).lock().unwrap().take();
    }

    pub(crate) fn name(&self) -> String {
        self.id.to_string()
    }

    pub(crate) fn marker(&self) -> Marker {
        Marker { run: self.id, _live: Live::new(&self.live) }
    }

    /// A number that this run has not had yet.
    pub(crate) fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Records what happens; a generator for the result. It depends on what has happened before in this line, not
    /// on how the lines are interleaved.
    pub(crate) fn record(&self, line: Line, what: What) -> Random {
        let mut trace = self.trace.lock().unwrap_or_else(PoisonError::into_inner);
        trace.entries.push(Entry { line, what });
        let length = trace.lengths.entry(line).or_default();
        *length += 1;
        let line = match line {
            Line::Main => 0,
            Line::Outside => 1,
            Line::Tool(call) => call + 2,
        };
        Random::of(&[self.seed, line, *length])
    }

    pub(crate) fn begin_turn(&self) {
        self.told.lock().unwrap().push(Vec::new());
        self.record(Line::Main, What::TurnBegins);
    }

    pub(crate) fn tell(&self, told: Told) {
        self.told.lock().unwrap().last_mut().unwrap().push(told);
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner).entries.clone()
    }

    /// What was told, turn by turn.
    pub(crate) fn told(&self) -> Vec<Vec<Told>> {
        self.told.lock().unwrap().clone()
    }
}
