//! A guard set around a guard set. It prints each event, the rails that ran, and their decisions.
//!
//! You can put tracing or metrics around any chain in this way, and the rails do not change.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use exo_rails::prelude::*;
use exo_rails::{Allowed, Chain, Event, EventFact, Outcome, PlannedRail, RailName, Serves, StopKind, StoppedBy};

use crate::describe;
use crate::page::{Ink, Page, WIDTH, print, wrap};

/// Prints and counts the decisions of the rails inside.
pub(crate) struct Timeline<R> {
    rails: R,
    page: Page,
    tally: Mutex<Tally>,
}

/// The counts of a run.
#[derive(Clone, Default)]
pub(crate) struct Tally {
    pub(crate) events: usize,
    pub(crate) rails: usize,
    pub(crate) decisions: BTreeMap<Kind, usize>,
    pub(crate) rewritten: usize,
    /// Includes tools that failed.
    pub(crate) tools_run: usize,
    pub(crate) tools_failed: usize,
    pub(crate) tools_skipped: usize,
    /// The last step that was printed.
    step: Option<u32>,
}

/// The result of the rails of one event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Continue,
    Skip,
    Retry,
    Abort,
    Fault,
}

/// One event, after its rails have run.
struct Entry {
    event: HookPoint,
    step: u32,
    subject: String,
    rails: Vec<&'static str>,
    /// The change that the rails made.
    rewritten: Option<String>,
    kind: Kind,
    /// The rail that stopped the event, and the reason.
    stop: Option<(RailName, String)>,
}

impl<R> Timeline<R> {
    pub(crate) fn new(rails: R, page: Page) -> Self {
        Self { rails, page, tally: Mutex::default() }
    }

    pub(crate) fn tally(&self) -> Tally {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Describes the payload of the event.
    fn subject(inputs: &Inputs<'_>, before: &str, accepted: bool, ctx: &RailContext) -> String {
        let subject = match inputs {
            // The call as the model asked for it. The rails have accepted the answer with this call.
            Inputs::PreToolCall(_) => describe::short(before),
            // The line of the event before has the reason.
            Inputs::PostToolCall(call, _) if let Some(rail) = ctx.substituted_by() => {
                format!("{}: a substitute by {}", call.tool_name, rail)
            }
            _ => describe::event(inputs, accepted),
        };
        match inputs {
            Inputs::PreLlmCall(_) | Inputs::PreToolCall(_) if ctx.attempt() > 0 => {
                format!("{subject}, attempt {}", ctx.attempt() + 1)
            }
            _ => subject,
        }
    }

    fn note(&self, entry: &Entry) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        if entry.has_step() && tally.step.replace(entry.step) != Some(entry.step) {
            print(&format!("\n{}", self.page.ink(Ink::Heading, &format!("Step {}", entry.step + 1))));
        }
        tally.add(entry);
        entry.print(self.page);
    }
}

impl<E: Event, R: Serves<E> + Chain> Serves<E> for Timeline<R> {
    // Without this method, the library would hold back a whole streamed answer, and copy inputs that no rail changes.
    fn fact<F: EventFact>(&self) -> F::Value {
        F::entered(Serves::<E>::fact::<F>(&self.rails))
    }

    async fn run_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        // The timeline prints the whole answer at the event after it.
        if E::POINT == HookPoint::LlmChunk && R::PLAN.rails(E::POINT).is_empty() {
            return self.rails.run_rails(payload, ctx).await;
        }
        let mut payload = payload;
        let before = describe::text(&E::inputs(E::reborrow(&mut payload)));
        let outcome = self.rails.run_rails(E::reborrow(&mut payload), ctx).await;

        let (kind, stop) = decision::<E>(&outcome);
        let accepted = matches!(kind, Kind::Continue | Kind::Skip);
        let inputs = E::inputs(E::reborrow(&mut payload));
        self.note(&Entry {
            event: E::POINT,
            step: ctx.step(),
            subject: Self::subject(&inputs, &before, accepted, ctx),
            rails: rails_that_ran(R::PLAN.rails(E::POINT), E::POINT, stop.as_ref().map(|(by, _)| by.as_str())),
            rewritten: accepted.then(|| describe::difference(&before, &describe::text(&inputs))).flatten(),
            kind,
            stop,
        });
        outcome
    }
}

/// Returns the result of the rails. If a rail stopped the event, also returns its name and its reason.
fn decision<E: Event>(outcome: &Outcome<E>) -> (Kind, Option<(RailName, String)>) {
    let Some(StoppedBy { rail_name, how, reason, .. }) = StoppedBy::of(outcome) else { return (Kind::Continue, None) };
    let (kind, why) = match (how, outcome) {
        (StopKind::Retry, Ok(Decision::Retry(retry))) => {
            let request = &retry.get().request;
            let after = if request.delay.is_zero() { String::new() } else { format!(" after {:?}", request.delay) };
            let times = describe::count(request.max_retries as usize, "time");
            (Kind::Retry, format!("{reason} (again{after}, at most {times})"))
        }
        (StopKind::Skip, _) => (Kind::Skip, reason.to_string()),
        (StopKind::Abort, _) => (Kind::Abort, reason.to_string()),
        _ => (Kind::Fault, reason.to_string()),
    };
    (kind, Some((rail_name, why)))
}

/// Returns the names of the planned rails, up to the rail that stopped the event. For a chain, returns the rails in the
/// chain.
fn rails_that_ran(plan: &[PlannedRail], event: HookPoint, stopped_by: Option<&str>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for rail in plan {
        match rail.inner {
            Some(chain) => names.extend(rails_that_ran(chain.rails(event), event, stopped_by)),
            None => names.push(rail.info.name),
        }
        if stopped_by.is_some() && names.last().copied() == stopped_by {
            break;
        }
    }
    names
}

impl Tally {
    fn add(&mut self, entry: &Entry) {
        self.events += 1;
        self.rails += entry.rails.len();
        self.rewritten += usize::from(entry.rewritten.is_some());
        *self.decisions.entry(entry.kind).or_default() += 1;
        match entry.event {
            HookPoint::PreToolCall if entry.kind == Kind::Continue => self.tools_run += 1,
            HookPoint::PreToolCall if entry.kind == Kind::Skip => self.tools_skipped += 1,
            HookPoint::ToolError => self.tools_failed += 1,
            _ => {}
        }
    }
}

/// The column where the text begins.
const COLUMN: usize = 18;

impl Entry {
    /// The names of the rails that ran, as text.
    fn rails(&self) -> String {
        if self.rails.is_empty() { String::new() } else { format!("[{}]", self.rails.join(" > ")) }
    }

    const fn has_step(&self) -> bool {
        !matches!(self.event, HookPoint::Start | HookPoint::Finished | HookPoint::Error)
    }

    fn print(&self, page: Page) {
        if !self.has_step() {
            print("");
        }
        let mut lines = wrap(&self.subject, WIDTH - COLUMN);
        let rails = self.rails();
        match lines.last_mut() {
            // The rails stand on the same line if there is room.
            Some(last) if COLUMN + last.chars().count() + 2 + rails.chars().count() <= WIDTH => {
                *last = format!("{last}  {}", page.ink(Ink::Quiet, &rails));
            }
            _ => lines.extend(wrap(&rails, WIDTH - COLUMN).iter().map(|line| page.ink(Ink::Quiet, line))),
        }
        for (i, line) in lines.iter().enumerate() {
            let event = if i == 0 { self.event.name() } else { "" };
            print(format!("  {event:<14}  {line}").trim_end());
        }
        if let Some(rewritten) = &self.rewritten {
            page.print_wrapped(COLUMN, Some(Ink::Good), &format!("rewritten to {rewritten}"));
        }
        if let Some((by, why)) = &self.stop {
            page.print_wrapped(COLUMN, Some(self.kind.ink()), &format!("{} by {by}: {why}", self.kind.name()));
        }
    }
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Skip => "skip",
            Self::Retry => "retry",
            Self::Abort => "abort",
            Self::Fault => "fault",
        }
    }

    const fn ink(self) -> Ink {
        match self {
            Self::Continue => Ink::Good,
            Self::Skip | Self::Retry => Ink::Careful,
            Self::Abort | Self::Fault => Ink::Bad,
        }
    }
}
