//! Reads the trace of a run, and holds it against what is promised.

use std::collections::{BTreeMap, BTreeSet};

use exo_rails::{HookPoint, StopKind};

use crate::coverage::Coverage;
use crate::operations::SECRET;
use crate::plan::{Ending, Plan};
use crate::rails::retries;
use crate::trace::{Broke, Choice, Entered, Entry, Left, Line, Outcome, Run, Told, What};

/// Why the reading of a trace ends before its end.
enum Halt {
    /// The run was dropped here.
    Cut,
    /// The operation was cancelled here, while a rail waited.
    Cancelled,
    Wrong(String),
}

type Read<T> = Result<T, Halt>;

macro_rules! wrong {
    ($($text:tt)*) => { return Err(Halt::Wrong(format!($($text)*))) };
}

macro_rules! hold {
    ($condition:expr, $($text:tt)*) => { if !$condition { wrong!($($text)*) } };
}

/// What has happened in a line, and what of it has been read.
struct Lane<'t> {
    entries: Vec<(usize, &'t What)>,
    at: usize,
}

impl<'t> Lane<'t> {
    fn of(entries: &'t [Entry], line: Line) -> Self {
        let of_line = entries.iter().enumerate().filter(|(_, entry)| entry.line == line);
        Self { entries: of_line.map(|(at, entry)| (at, &entry.what)).collect(), at: 0 }
    }

    fn peek(&self) -> Option<&'t What> {
        self.entries.get(self.at).map(|(_, what)| *what)
    }

    fn next(&mut self) -> Option<&'t What> {
        let next = self.peek();
        self.at += 1;
        next
    }

    /// The place in the trace of what comes next.
    fn place(&self) -> usize {
        self.entries.get(self.at).map_or(usize::MAX, |(place, _)| *place)
    }

    /// The place of what was read last.
    fn last(&self) -> usize {
        self.at.checked_sub(1).and_then(|at| self.entries.get(at)).map_or(0, |(place, _)| *place)
    }

    fn enters(&self, event: HookPoint) -> bool {
        matches!(self.peek(), Some(What::Enters(entered)) if entered.event == event)
    }
}

/// How an event was stopped.
enum StoppedBy {
    Skip { substitute: bool },
    Again(Again),
    Ends(Outcome),
}

/// A retry.
struct Again {
    rail: &'static str,
    event: HookPoint,
    number: u64,
    max: u32,
}

/// An event that is complete.
struct Seen<'t> {
    entered: &'t Entered,
    left: &'t Left,
    stopped: Option<StoppedBy>,
    stamp: Option<u64>,
    changed: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Run,
    Model,
    Tool,
    Compaction,
}

impl Kind {
    /// The events before it, after it and after its failure.
    const fn events(self) -> (HookPoint, HookPoint, HookPoint) {
        match self {
            Self::Run => (HookPoint::Start, HookPoint::Finished, HookPoint::Error),
            Self::Model => (HookPoint::PreLlmCall, HookPoint::PostLlmCall, HookPoint::LlmError),
            Self::Tool => (HookPoint::PreToolCall, HookPoint::PostToolCall, HookPoint::ToolError),
            Self::Compaction => (HookPoint::PreCompaction, HookPoint::PostCompaction, HookPoint::PreCompaction),
        }
    }
}

/// What a guarded operation comes to.
enum End {
    /// Done; the tool calls that it asks for.
    Done(Vec<u64>),
    Ended(Outcome),
}

/// What an attempt comes to.
enum Attempt {
    End(End),
    Again(Again),
}

/// What an operation itself comes to.
enum Made {
    Whole,
    Delivered,
    Failed(u64),
    Again(Again),
    Ended(Outcome),
}

const ORDER: [&str; 7] = ["plain", "first", "second", "admits", "third", "substitutes", "watcher"];

struct Checker<'t> {
    plan: &'t Plan,
    tools: BTreeMap<u64, Lane<'t>>,
    /// Where its token was cancelled.
    cancelled: usize,
    /// Whether the turn that is read was dropped.
    dropped: bool,
    stamps: BTreeSet<u64>,
    /// Texts that rails have stopped.
    stopped: Vec<String>,
    /// The text of the answer of this attempt of the run.
    answer: String,
    coverage: &'t mut Coverage,
}

/// Whether the trace is as it has to be.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check(run: &Run, coverage: &mut Coverage) -> Result<(), String> {
    let (entries, told) = (run.entries(), run.told());
    coverage.plan(&run.plan);
    coverage.add("entries", entries.len());
    if let Some(wrong) =
        entries.iter().find_map(|entry| if let What::Wrong(text) = entry.what { Some(text) } else { None })
    {
        return Err(format!("a rail finds {wrong}"));
    }
    for entry in &entries {
        if let What::Drawn(what) = entry.what {
            coverage.add(what, 1);
        }
    }
    let gone = entries.iter().position(|entry| matches!(entry.what, What::Gone));
    if let Some(gone) = gone {
        coverage.add("gone", 1);
        let later = entries[gone..].iter().find(|entry| entry.line != Line::Outside);
        if let Some(later) = later {
            return Err(format!("after the run was dropped: {later:?}"));
        }
    }
    let tools: BTreeSet<_> =
        entries.iter().filter_map(|entry| if let Line::Tool(call) = entry.line { Some(call) } else { None }).collect();
    let cancelled = entries.iter().position(|entry| matches!(entry.what, What::Cancels));
    let mut checker = Checker {
        plan: &run.plan,
        tools: tools.into_iter().map(|call| (call, Lane::of(&entries, Line::Tool(call)))).collect(),
        cancelled: cancelled.unwrap_or(usize::MAX),
        dropped: false,
        stamps: BTreeSet::new(),
        stopped: Vec::new(),
        answer: String::new(),
        coverage,
    };
    let mut main = Lane::of(&entries, Line::Main);
    match checker.life(&mut main, &told) {
        Err(Halt::Wrong(text)) => Err(text),
        Err(Halt::Cut) if gone.is_none() => Err("it ends in the middle, and was not dropped".into()),
        Err(Halt::Cancelled) => Err("a rail was dropped, and what it guards cannot be cancelled".into()),
        Ok(()) if main.peek().is_some() => Err(format!("after the end: {:?}", main.peek())),
        Ok(()) if !checker.tools.is_empty() => Err(format!("nobody asked for the tools {:?}", checker.tools.keys())),
        Err(Halt::Cut) | Ok(()) => checker.nothing_leaks(&told),
    }
}

impl<'t> Checker<'t> {
    fn life(&mut self, main: &mut Lane<'t>, told: &[Vec<Told>]) -> Read<()> {
        let Some(turns) = self.plan.turns else { return self.turn(main, told, 0) };
        self.dropped = true;
        let seen = self.event(main, HookPoint::SessionStart, Some(0), 0)?;
        let Some(What::SessionStarts(refused)) = main.next() else { return Err(Halt::Cut) };
        match (seen.stopped, refused) {
            (None, None) => {}
            (Some(StoppedBy::Ends(outcome)), Some(refused)) if outcome == *refused => {
                self.coverage.add("session refused", 1);
                return Ok(());
            }
            (_, refused) => wrong!("the session starts with {refused:?}"),
        }
        for turn in 0..turns {
            if main.peek().is_none() {
                return Err(Halt::Cut);
            }
            self.turn(main, told, turn as usize)?;
        }
        self.dropped = true;
        self.event(main, HookPoint::SessionEnd, Some(0), 0)?;
        self.coverage.add("session ended", 1);
        Ok(())
    }

    fn turn(&mut self, main: &mut Lane<'t>, told: &[Vec<Told>], turn: usize) -> Read<()> {
        match main.next() {
            Some(What::TurnBegins) => {}
            None => return Err(Halt::Cut),
            other => wrong!("a turn begins with {other:?}"),
        }
        let rest = main.entries[main.at..].iter();
        let actual =
            rest.clone().find_map(|(_, what)| if let What::TurnEnds(outcome) = what { Some(outcome) } else { None });
        self.dropped = matches!(actual, None | Some(Outcome::Dropped));
        match self.guarded_turn(main) {
            Ok(end) => self.turn_ends(main, &end, told.get(turn).map_or(&[][..], Vec::as_slice)),
            Err(Halt::Cut) if matches!(main.peek(), Some(What::TurnEnds(Outcome::Dropped))) => {
                self.coverage.add("stream dropped", 1);
                main.next();
                Ok(())
            }
            Err(Halt::Cut) if main.peek().is_some() => wrong!("it goes on after a drop: {:?}", main.peek()),
            halt => halt.map(drop),
        }
    }

    /// A turn up to its end, with what it is to end with.
    fn guarded_turn(&mut self, main: &mut Lane<'t>) -> Read<End> {
        let end = self.operation(main, Kind::Run, 0)?;
        if let End::Ended(outcome) = &end {
            let seen = self.event(main, HookPoint::Error, None, 0)?;
            hold!(
                seen.entered.error.as_ref() == Some(outcome),
                "`Error` tells {:?}, not {outcome:?}",
                seen.entered.error
            );
        }
        Ok(end)
    }

    fn turn_ends(&mut self, main: &mut Lane<'t>, end: &End, told: &[Told]) -> Read<()> {
        let place = main.place();
        let actual = match main.next() {
            Some(What::TurnEnds(actual)) => actual,
            None => return Err(Halt::Cut),
            other => wrong!("a turn ends with {other:?}"),
        };
        // It had ended, but the reader of the stream did not wait for the end.
        if *actual == Outcome::Dropped {
            return Ok(());
        }
        match (end, actual) {
            (End::Done(_), Outcome::Answered(text)) => {
                hold!(!text.contains(SECRET), "the answer has the secret: {text}");
                self.told_the_answer(told)?;
            }
            (End::Ended(outcome), actual) if outcome == actual => {}
            (End::Ended(outcome), actual) => wrong!("it ends with {actual:?}, and should end with {outcome:?}"),
            (End::Done(_), actual) => wrong!("it ends with {actual:?}, and should have an answer"),
        }
        if *actual == Outcome::Cancelled {
            hold!(self.cancelled < place, "it was cancelled, but nobody cancelled it");
        }
        self.coverage.outcome(actual);
        Ok(())
    }

    /// The reader of the stream has the answer in the end, as it is before the rails after the call.
    fn told_the_answer(&self, told: &[Told]) -> Read<()> {
        if !self.plan.streamed {
            return Ok(());
        }
        let from = told.iter().rposition(|told| *told == Told::Reset).map_or(0, |at| at + 1);
        let text = text_of(&told[from..]);
        hold!(text == self.answer, "the stream told {text:?}, and the answer is {:?}", self.answer);
        Ok(())
    }

    fn nothing_leaks(&self, told: &[Vec<Told>]) -> Result<(), String> {
        for text in told.iter().map(|told| text_of(told)) {
            if text.contains(SECRET) {
                return Err(format!("the stream told the secret: {text}"));
            }
            if let Some(stopped) = self.stopped.iter().find(|stopped| text.contains(*stopped)) {
                return Err(format!("the stream told {stopped}, which a rail has stopped: {text}"));
            }
        }
        Ok(())
    }

    /// Whether the run was dropped here: what was under way has been dropped, and nothing else has happened.
    fn is_cut(&self, lane: &mut Lane<'t>) -> bool {
        let rest = lane.entries.get(lane.at..).unwrap_or_default();
        let rest = rest.iter().take_while(|(_, what)| !matches!(what, What::TurnEnds(_)));
        let dropped = |what: &What| matches!(what, What::OperationDropped | What::Breaks(_, Broke::Dropped));
        let is_cut = self.dropped && rest.clone().all(|(_, what)| dropped(what));
        if is_cut {
            lane.at = lane.entries.len().min(lane.at + rest.count());
        }
        is_cut
    }

    /// An error when the run was dropped here.
    fn unless_cut(&self, lane: &mut Lane<'t>) -> Read<()> {
        if self.is_cut(lane) { Err(Halt::Cut) } else { Ok(()) }
    }

    /// A guarded operation, with all of its attempts.
    fn operation(&mut self, lane: &mut Lane<'t>, kind: Kind, step: u32) -> Read<End> {
        let (mut used, mut total) = (BTreeMap::<(&str, Option<HookPoint>), u32>::new(), 0);
        loop {
            if !lane.enters(kind.events().0) {
                self.unless_cut(lane)?;
                return Ok(End::Ended(Outcome::Cancelled));
            }
            self.not_cancelled(lane, "an attempt")?;
            let again = match self.attempt(lane, kind, total, step) {
                Ok(Attempt::End(end)) => return Ok(end),
                Ok(Attempt::Again(again)) => again,
                Err(Halt::Cancelled) => {
                    self.coverage.add(format!("rail of {kind:?} cancelled"), 1);
                    return Ok(End::Ended(Outcome::Cancelled));
                }
                Err(halt) => return Err(halt),
            };
            hold!(again.max == retries(again.rail), "{} has {} retries", again.rail, again.max);
            // A plain hook is another at each point that it is added at.
            let used = used.entry((again.rail, (again.rail == "plain").then_some(again.event))).or_default();
            if *used == again.max {
                let (rail, reason) = (again.rail.to_owned(), format!("retry {}", again.number));
                return Ok(End::Ended(Outcome::Exhausted { rail, event: again.event, attempts: total + 1, reason }));
            }
            *used += 1;
            total += 1;
            self.coverage.add(format!("{kind:?} retried"), 1);
        }
    }

    /// When it is cancelled between two polls, nothing that asks for the token comes after it.
    fn not_cancelled(&self, lane: &Lane<'t>, what: &str) -> Read<()> {
        hold!(!self.is_late(lane), "{what} begins after the run was cancelled");
        Ok(())
    }

    fn is_late(&self, lane: &Lane<'t>) -> bool {
        matches!(self.plan.ending, Ending::CancelledBetweenPolls(_)) && lane.place() > self.cancelled
    }

    fn attempt(&mut self, lane: &mut Lane<'t>, kind: Kind, attempt: u32, step: u32) -> Read<Attempt> {
        let (pre, post, _) = kind.events();
        if kind == Kind::Run {
            self.answer.clear();
        }
        let before = self.event(lane, pre, Some(attempt), step)?;
        let (mut substituted, mut delivered) = (false, kind != Kind::Model);
        match before.stopped {
            Some(StoppedBy::Ends(outcome)) => return Ok(Attempt::End(End::Ended(outcome))),
            Some(StoppedBy::Again(again)) => return Ok(Attempt::Again(again)),
            Some(StoppedBy::Skip { .. }) => substituted = true,
            None => match self.permitted(lane, kind, &before, attempt, step)? {
                Made::Whole => {}
                Made::Delivered => delivered = true,
                Made::Again(again) => return Ok(Attempt::Again(again)),
                Made::Ended(outcome) => return Ok(Attempt::End(End::Ended(outcome))),
                Made::Failed(number) => match self.failed(lane, kind, number, attempt, step)? {
                    Ok(rescued) => substituted = rescued,
                    Err(attempt) => return Ok(attempt),
                },
            },
        }
        if !delivered {
            let whole = self.event(lane, HookPoint::LlmChunk, Some(attempt), step)?;
            hold!(whole.left.is_last, "an answer as a whole is not the last of it");
            match whole.stopped {
                Some(StoppedBy::Ends(outcome)) => return Ok(Attempt::End(End::Ended(outcome))),
                Some(StoppedBy::Again(again)) => return Ok(Attempt::Again(again)),
                Some(StoppedBy::Skip { .. }) | None => {}
            }
        }
        let stamp = before.stamp;
        let after = self.event(lane, post, Some(attempt), step)?;
        hold!(
            after.entered.substituted == substituted,
            "{post} of {kind:?}: substituted is {}",
            after.entered.substituted
        );
        hold!(after.entered.stamp == stamp, "{post} has another operation's inputs");
        if kind == Kind::Model {
            self.answer.clone_from(&after.entered.text);
        }
        Ok(match after.stopped {
            Some(StoppedBy::Ends(outcome)) => Attempt::End(End::Ended(outcome)),
            Some(StoppedBy::Again(again)) => Attempt::Again(again),
            Some(StoppedBy::Skip { .. }) | None => Attempt::End(End::Done(after.left.calls.clone())),
        })
    }

    /// The event after a failure: whether a rail has put something in the place of the result, or what else it comes to.
    fn failed(
        &mut self,
        lane: &mut Lane<'t>,
        kind: Kind,
        number: u64,
        attempt: u32,
        step: u32,
    ) -> Read<Result<bool, Attempt>> {
        let failure = Outcome::Operation(format!("operation {number}"));
        if kind == Kind::Compaction {
            return Ok(Err(Attempt::End(End::Ended(failure))));
        }
        let seen = self.event(lane, kind.events().2, Some(attempt), step)?;
        hold!(seen.entered.error.as_ref() == Some(&failure), "{:?} is reported, not {failure:?}", seen.entered.error);
        Ok(match seen.stopped {
            Some(StoppedBy::Ends(outcome)) => Err(Attempt::End(End::Ended(outcome))),
            Some(StoppedBy::Again(again)) => Err(Attempt::Again(again)),
            Some(StoppedBy::Skip { substitute: true }) => Ok(true),
            // The model reads the error.
            Some(StoppedBy::Skip { .. }) | None if kind == Kind::Tool => Ok(false),
            Some(StoppedBy::Skip { .. }) | None => Err(Attempt::End(End::Ended(failure))),
        })
    }

    /// The operation, which its rails have let pass.
    fn permitted(&mut self, lane: &mut Lane<'t>, kind: Kind, before: &Seen<'t>, attempt: u32, step: u32) -> Read<Made> {
        if kind == Kind::Run {
            return self.steps(lane);
        }
        let Some(What::OperationBegins { stamp, changed }) = lane.peek() else {
            self.unless_cut(lane)?;
            return Ok(Made::Ended(Outcome::Cancelled));
        };
        self.not_cancelled(lane, "an operation")?;
        lane.next();
        hold!(*stamp == before.stamp, "{kind:?} begins with {stamp:?}, and its rails gave {:?}", before.stamp);
        hold!(*changed == before.changed, "{kind:?} begins with the change {changed:?} of {:?}", before.changed);
        hold!(stamp.is_some_and(|stamp| self.stamps.insert(stamp)), "{kind:?} begins twice with one permit");
        if kind == Kind::Model && self.plan.streamed {
            return self.streamed(lane, attempt, step);
        }
        self.unless_cut(lane)?;
        match lane.next() {
            Some(What::OperationEnds { failure: None }) => Ok(Made::Whole),
            Some(What::OperationEnds { failure: Some(number) }) => Ok(Made::Failed(*number)),
            Some(What::OperationDropped) => {
                hold!(kind == Kind::Model, "{kind:?} was dropped, and the run was not");
                self.coverage.add("model interrupted", 1);
                Ok(Made::Ended(Outcome::Cancelled))
            }
            other => wrong!("{kind:?} goes on with {other:?}"),
        }
    }

    /// An answer in pieces.
    fn streamed(&mut self, lane: &mut Lane<'t>, attempt: u32, step: u32) -> Read<Made> {
        let (mut over, mut ends, mut last, mut beyond) = (false, false, false, 0);
        loop {
            self.unless_cut(lane)?;
            match lane.peek() {
                Some(What::Delta) => {
                    hold!(!over && !ends, "the answer is read on after its end");
                    // A piece that was waited for may still come.
                    beyond += usize::from(self.is_late(lane));
                    hold!(beyond <= 1, "the answer is read on after the run was cancelled");
                    lane.next();
                }
                Some(What::OperationEnds { failure }) => {
                    lane.next();
                    over = true;
                    if let Some(number) = failure {
                        return Ok(Made::Failed(*number));
                    }
                }
                Some(What::OperationDropped) => {
                    lane.next();
                    if !ends {
                        self.coverage.add("stream interrupted", 1);
                        return Ok(Made::Ended(Outcome::Cancelled));
                    }
                    self.coverage.add("answer ended by a rail", 1);
                    over = true;
                }
                Some(What::Enters(entered)) if entered.event == HookPoint::LlmChunk => {
                    hold!(!last, "a piece after the last");
                    let seen = self.event(lane, HookPoint::LlmChunk, Some(attempt), step)?;
                    (ends, last) = (ends || seen.left.ends, seen.left.is_last);
                    hold!(!last || over || ends, "the last piece comes before the end");
                    match seen.stopped {
                        None | Some(StoppedBy::Skip { .. }) => {}
                        Some(stopped) => return self.stopped_in_mid_stream(lane, stopped, &seen.entered.text, over),
                    }
                }
                Some(What::Enters(_)) => {
                    hold!(over && last, "the answer goes on before its last piece was seen");
                    return Ok(Made::Delivered);
                }
                other => wrong!("an answer goes on with {other:?}"),
            }
        }
    }

    fn stopped_in_mid_stream(&mut self, lane: &mut Lane<'t>, stopped: StoppedBy, text: &str, over: bool) -> Read<Made> {
        self.stopped.extend(marks(text));
        if !over {
            hold!(
                matches!(lane.next(), Some(What::OperationDropped)),
                "the answer goes on after a rail has stopped it"
            );
        }
        self.coverage.add("stopped in mid-stream", 1);
        match stopped {
            StoppedBy::Ends(outcome) => Ok(Made::Ended(outcome)),
            StoppedBy::Again(again) => Ok(Made::Again(again)),
            StoppedBy::Skip { .. } => Ok(Made::Delivered),
        }
    }

    /// The steps of a run.
    fn steps(&mut self, lane: &mut Lane<'t>) -> Read<Made> {
        for step in 0..self.plan.max_steps {
            if lane.enters(HookPoint::PreCompaction) {
                hold!(self.plan.compaction, "it has no compaction");
                self.coverage.add("compacted", 1);
                if let End::Ended(outcome) = self.operation(lane, Kind::Compaction, step)? {
                    return Ok(Made::Ended(outcome));
                }
            }
            let calls = match self.operation(lane, Kind::Model, step)? {
                End::Ended(outcome) => return Ok(Made::Ended(outcome)),
                End::Done(calls) if calls.is_empty() => return Ok(Made::Whole),
                End::Done(calls) => calls,
            };
            if let End::Ended(outcome) = self.tools(lane, &calls, step)? {
                return Ok(Made::Ended(outcome));
            }
        }
        Ok(Made::Ended(Outcome::StepLimit))
    }

    /// The tool calls of one answer.
    fn tools(&mut self, main: &mut Lane<'t>, calls: &[u64], step: u32) -> Read<End> {
        let (after, before) = (main.last(), main.place());
        // Where the run has gone on, its calls had ended.
        let dropped = self.dropped;
        self.dropped = self.is_cut(main);
        let (mut ends, mut spans, mut cut) = (Vec::new(), Vec::new(), false);
        for call in calls {
            let mut lane = self.tools.remove(call).unwrap_or(Lane { entries: Vec::new(), at: 0 });
            let in_place = lane.entries.iter().all(|(place, _)| after < *place && *place < before);
            hold!(in_place, "the tool call {call} goes on while the run does something else");
            match self.operation(&mut lane, Kind::Tool, step) {
                Ok(end) => ends.push(end),
                Err(Halt::Cut) => cut = true,
                Err(wrong) => return Err(wrong),
            }
            hold!(lane.peek().is_none(), "the tool call {call} has ended and goes on: {:?}", lane.peek());
            spans.push(lane.entries);
        }
        self.at_once(&spans)?;
        self.dropped = dropped;
        if cut {
            return Err(Halt::Cut);
        }
        self.ended_by_one(&ends, &spans, before)
    }

    /// No more calls at once than the plan says.
    fn at_once(&mut self, spans: &[Vec<(usize, &What)>]) -> Read<()> {
        let spans: Vec<_> = spans.iter().filter_map(|span| Some((span.first()?.0, span.last()?.0))).collect();
        let running = |place| spans.iter().filter(|(from, to)| *from <= place && place <= *to).count();
        let most = spans.iter().map(|(from, _)| running(*from)).max().unwrap_or(0);
        hold!(most <= self.plan.bound.get(), "{most} tools at once");
        self.coverage.add(format!("{most} tools at once"), 1);
        Ok(())
    }

    /// What the calls come to together: the first that ends the run says so, and the others are cancelled.
    fn ended_by_one(&mut self, ends: &[End], spans: &[Vec<(usize, &What)>], before: usize) -> Read<End> {
        let decided = |end: &End| matches!(end, End::Ended(outcome) if *outcome != Outcome::Cancelled);
        let cancelled = |end: &End| matches!(end, End::Ended(Outcome::Cancelled));
        let over = ends.iter().zip(spans).filter(|(end, _)| decided(end));
        let over = over.filter_map(|(_, span)| Some(span.last()?.0)).min().unwrap_or(usize::MAX);
        let begins = |what: &What| match what {
            What::OperationBegins { .. } => true,
            What::Enters(entered) => entered.event == HookPoint::PreToolCall,
            _ => false,
        };
        let late = spans.iter().flatten().find(|(place, what)| *place > over && begins(what));
        hold!(late.is_none(), "it begins after another call has ended the run: {late:?}");
        if ends.iter().any(cancelled) {
            hold!(over < before || self.cancelled < before, "a tool call is cancelled, and nobody cancelled it");
        }
        self.coverage
            .add("call cancelled by another", ends.iter().filter(|end| over < before && cancelled(end)).count());
        let first = ends.iter().find(|end| decided(end)).or_else(|| ends.iter().find(|end| cancelled(end)));
        match first {
            Some(End::Ended(outcome)) => Ok(End::Ended(outcome.clone())),
            _ => Ok(End::Done(Vec::new())),
        }
    }

    /// An event, from its first rail to its last.
    fn event(&mut self, lane: &mut Lane<'t>, event: HookPoint, attempt: Option<u32>, step: u32) -> Read<Seen<'t>> {
        self.unless_cut(lane)?;
        let entered = match lane.next() {
            Some(What::Enters(entered)) => entered,
            other => wrong!("{other:?} in the place of {event}"),
        };
        hold!(entered.event == event, "{} in the place of {event}", entered.event);
        hold!(attempt.is_none_or(|attempt| entered.attempt == attempt), "attempt {} of {event}", entered.attempt);
        let step = if matches!(event, HookPoint::Start | HookPoint::Finished) { 0 } else { step };
        hold!(event == HookPoint::Error || entered.step == step, "step {} of {event}, not {step}", entered.step);
        self.coverage.add(format!("event {event}"), 1);
        let (mut stopped, mut stamp, mut changed, mut place) = (None, None, None, 0);
        let left = loop {
            self.unless_cut(lane)?;
            match lane.next() {
                Some(What::Begins(rail, at)) => {
                    hold!(*at == event, "{rail} sees {at} at {event}");
                    hold!(stopped.is_none(), "{rail} is called after {event} was stopped");
                    let rank = 1 + ORDER.iter().position(|other| other == rail).unwrap();
                    hold!(rank > place, "{rail} comes too late at {event}");
                    place = rank;
                    stopped = self.decided(lane, rail, event, &mut changed)?;
                }
                Some(What::Stamps(number)) if stamp.is_none() && stopped.is_none() => stamp = Some(*number),
                Some(What::Leaves(left)) => break left,
                other => wrong!("{event} goes on with {other:?}"),
            }
        };
        let expected = stopped.as_ref().map(|(rail, stop, _)| ((*rail).to_owned(), *stop));
        hold!(left.stopped == expected, "{event} was stopped by {:?}, not {expected:?}", left.stopped);
        let opens = [HookPoint::Start, HookPoint::PreLlmCall, HookPoint::PreToolCall, HookPoint::PreCompaction];
        hold!(stamp.is_some() == (opens.contains(&event) && stopped.is_none()), "{event} is not complete");
        Ok(Seen { entered, left, stopped: stopped.map(|(_, _, stopped)| stopped), stamp, changed })
    }

    /// How a rail stops the event, when it does.
    fn decided(
        &mut self,
        lane: &mut Lane<'t>,
        rail: &'static str,
        event: HookPoint,
        changed: &mut Option<u64>,
    ) -> Read<Option<(&'static str, StopKind, StoppedBy)>> {
        self.unless_cut(lane)?;
        let fault = match lane.next() {
            Some(What::Decides(by, choice)) if *by == rail => {
                self.coverage.choice(rail, event, choice);
                match choice {
                    Choice::Continue => return Ok(None),
                    Choice::Changes(number) => {
                        *changed = Some(*number);
                        return Ok(None);
                    }
                    Choice::Skip { substitute } => {
                        return Ok(Some((rail, StopKind::Skip, StoppedBy::Skip { substitute: *substitute })));
                    }
                    Choice::Retry { number, max } => {
                        let again = Again { rail, event, number: *number, max: *max };
                        return Ok(Some((rail, StopKind::Retry, StoppedBy::Again(again))));
                    }
                    Choice::Abort(number) => {
                        let outcome = Outcome::Abort { rail: rail.into(), event, reason: format!("abort {number}") };
                        return Ok(Some((rail, StopKind::Abort, StoppedBy::Ends(outcome))));
                    }
                    Choice::Fails(number) => format!("fault {number}"),
                }
            }
            Some(What::Breaks(by, Broke::Dropped)) if *by == rail && !goes_on(lane.peek()) => {
                while matches!(lane.peek(), Some(What::OperationDropped)) {
                    lane.next();
                }
                return Err(Halt::Cancelled);
            }
            Some(What::Breaks(by, broke)) if *by == rail => {
                hold!(matches!(rail, "first" | "second" | "third" | "watcher"), "{rail} was dropped");
                self.coverage.broke(rail, broke);
                match broke {
                    Broke::Dropped => "it took longer than 15ms".to_owned(),
                    Broke::Panicked(number) => format!("it panicked: panic {number}"),
                }
            }
            other => wrong!("{rail} goes on with {other:?}"),
        };
        Ok(match rail {
            "second" => Some((rail, StopKind::Skip, StoppedBy::Skip { substitute: false })),
            "third" | "watcher" => None,
            _ => Some((
                rail,
                StopKind::Fault,
                StoppedBy::Ends(Outcome::Fault { rail: rail.into(), event, cause: fault }),
            )),
        })
    }
}

/// Whether an event goes on after a rail: it is cancelled otherwise.
const fn goes_on(next: Option<&What>) -> bool {
    matches!(next, Some(What::Begins(..) | What::Stamps(_) | What::Leaves(_)))
}

fn text_of(told: &[Told]) -> String {
    told.iter().map(|told| if let Told::Text(text) = told { text } else { "" }).collect()
}

/// The marks in a text.
fn marks(text: &str) -> Vec<String> {
    let marks = text.split('<').skip(1).filter_map(|rest| rest.split_once('>'));
    marks.map(|(mark, _)| format!("<{mark}>")).collect()
}
