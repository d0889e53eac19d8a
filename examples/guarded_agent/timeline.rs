//! A guard set around a guard set: it prints each event, which rails ran, and what they decided.
//!
//! This is how tracing, metrics and the like are put around any chain, without a word about them in the rails.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use exo_rails::prelude::*;
use exo_rails::{Event, Outcome, PlannedRail, RunOn, Stop};

use crate::describe;
use crate::page::{Ink, Page};

/// Prints what the rails inside decide, and counts it.
pub(crate) struct Timeline<R> {
    rails: R,
    page: Page,
    tally: Mutex<Tally>,
}

/// What has happened in a run, in numbers.
#[derive(Clone, Default)]
pub(crate) struct Tally {
    pub(crate) events: usize,
    pub(crate) rails: usize,
    pub(crate) decisions: BTreeMap<Kind, usize>,
    pub(crate) rewritten: usize,
    pub(crate) tools_run: usize,
    pub(crate) tools_failed: usize,
    pub(crate) tools_skipped: usize,
    /// Whether the tool call that is under way was skipped.
    skipping: bool,
    /// The step that was printed last.
    step: Option<u32>,
}

/// What the rails of one event came to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Continue,
    Skip,
    Retry,
    Abort,
    Fault,
}

/// One event, over and done with.
struct Entry {
    event: HookPoint,
    step: u32,
    attempt: u32,
    subject: String,
    rewritten: bool,
    rails: Vec<&'static str>,
    kind: Kind,
    /// The rail that stopped the event, and why.
    stop: Option<(&'static str, String)>,
}

impl<R> Timeline<R> {
    pub(crate) fn new(rails: R, page: Page) -> Self {
        Self { rails, page, tally: Mutex::default() }
    }

    pub(crate) fn tally(&self) -> Tally {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, entry: &Entry) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        if entry.has_step() && tally.step.replace(entry.step) != Some(entry.step) {
            self.page.print(&format!("\n{}", self.page.ink(Ink::Heading, &format!("Step {}", entry.step + 1))));
        }
        tally.add(entry);
        entry.print(self.page);
    }
}

impl<E: Event, R: RunOn<E> + Chain> RunOn<E> for Timeline<R> {
    // Without this, a guarded operation would keep a copy of inputs that no rail changes.
    fn rewrites(&self) -> bool {
        self.rails.rewrites()
    }

    async fn dispatch<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        let mut payload = payload;
        let before = self.rails.rewrites().then(|| content::<E>(&mut payload));
        let outcome = self.rails.dispatch(E::reborrow(&mut payload), ctx).await;

        let rewritten = before.is_some_and(|before| before != content::<E>(&mut payload));
        let (kind, stop) = decision::<E>(&outcome);
        let accepted = matches!(kind, Kind::Continue | Kind::Skip);
        self.note(&Entry {
            event: E::POINT,
            step: ctx.step(),
            attempt: ctx.attempt(),
            subject: describe::event(&E::inputs(E::reborrow(&mut payload)), accepted),
            rewritten,
            rails: rails_that_ran(R::PLAN.rails(E::POINT), E::POINT, stop.as_ref().map(|(by, _)| *by)),
            kind,
            stop,
        });
        outcome
    }
}

/// The whole payload as text, to see whether it changes.
fn content<E: Event>(payload: &mut E::Payload<'_>) -> String {
    format!("{:?}", E::inputs(E::reborrow(payload)))
}

/// What the rails came to, and when one of them stopped: which, and why.
fn decision<E: Event>(outcome: &Outcome<E>) -> (Kind, Option<(&'static str, String)>) {
    let ControlFlow::Break(stop) = outcome else { return (Kind::Continue, None) };
    match stop {
        Stop::Skip { by, reason, .. } => (Kind::Skip, Some((by.name, reason.to_string()))),
        Stop::Retry { by, request } => {
            let times = describe::count(request.max_retries as usize, "time");
            let why = format!("{} (after {:?}, at most {times})", request.reason, request.delay);
            (Kind::Retry, Some((by.name, why)))
        }
        Stop::Abort(abort) => (Kind::Abort, Some((abort.rail_name, abort.reason.to_string()))),
        Stop::Fault(fault) => (Kind::Fault, Some((fault.rail_name, fault.cause.to_string()))),
    }
}

/// The names of the planned rails up to the one that stopped; a chain counts as what is inside.
fn rails_that_ran(plan: &[PlannedRail], event: HookPoint, stopped_by: Option<&str>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for rail in plan {
        match rail.inner {
            Some(chain) => names.extend(rails_that_ran(chain.rails(event), event, stopped_by)),
            None => names.push(rail.info.name),
        }
        if names.last().copied() == stopped_by {
            break;
        }
    }
    names
}

impl Tally {
    fn add(&mut self, entry: &Entry) {
        self.events += 1;
        self.rails += entry.rails.len();
        self.rewritten += usize::from(entry.rewritten);
        *self.decisions.entry(entry.kind).or_default() += 1;
        match entry.event {
            HookPoint::PreToolCall => {
                self.skipping = entry.kind == Kind::Skip;
                self.tools_skipped += usize::from(self.skipping);
            }
            // Also after a skip, where the output is the substitute.
            HookPoint::PostToolCall if !self.skipping => self.tools_run += 1,
            HookPoint::ToolError => self.tools_failed += 1,
            _ => {}
        }
    }
}

/// Where the second column begins.
const COLUMN: usize = 18;

impl Entry {
    const fn has_step(&self) -> bool {
        !matches!(self.event, HookPoint::Start | HookPoint::Finished | HookPoint::Error)
    }

    fn print(&self, page: Page) {
        if !self.has_step() {
            page.print("");
        }
        let again = if self.attempt > 0 { format!(" (attempt {})", self.attempt + 1) } else { String::new() };
        page.print(&format!("  {:<14}  {}{again}", self.event, self.subject));
        if !self.rails.is_empty() {
            let rewritten = if self.rewritten { ", rewritten" } else { "" };
            page.print_wrapped(COLUMN, Some(Ink::Quiet), &format!("[{}{rewritten}]", self.rails.join(" > ")));
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
