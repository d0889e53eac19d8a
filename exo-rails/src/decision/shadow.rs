//! What a rail in shadow would have done.

use serde::Serialize;
use serde_json::Value;

use crate::action::{Allowed, RailIdentity};
use crate::context::{RailContext, StopKind, StoppedBy};
use crate::decision::{Decision, Outcome};
use crate::error::Ending;
use crate::event::changes::{changeable, changed_paths};
use crate::event::{CopiedPayload, Inputs, Payloads};
use crate::message::{ShadowKey, StreamWindow};
use crate::point::{HookPoint, RailName, Reason};

/// What a rail or guard set [in shadow](crate::Mode::Shadow) would have done.
///
/// The library publishes it as a record with the name [`ShadowDecision::RECORD`] on the event bus around the guard set, and
/// as a `tracing` event of the level `INFO` with the target [`ShadowDecision::TARGET`]. It publishes nothing if the rail
/// would have done nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ShadowDecision {
    /// The rail. In a guard set in shadow, the rail that would have stopped the event. `None` if the rails of a guard set
    /// would have changed the payload only.
    pub rail_name: Option<RailName>,
    /// The event.
    pub event: HookPoint,
    /// How the rail would have stopped the event. `None` if it would have continued.
    pub how: Option<StopKind>,
    /// Whether the rail would have suspended the run. `how` is then [`StopKind::Abort`].
    pub suspends: bool,
    /// The reason of the rail, or the text of its fault.
    pub reason: Option<Reason>,
    /// The paths of the values in the payload that the rail would have changed, such as `arguments.path`. The values are not
    /// part of the report. For a custom event, the path is empty.
    pub changes: Vec<String>,
}

impl ShadowDecision {
    /// The [name](crate::EventRecord::emitted) of the records: `shadow`.
    pub const RECORD: &'static str = "shadow";

    /// The target of the `tracing` events.
    pub const TARGET: &'static str = "exo_rails::shadow";

    /// Returns the report about an outcome. `None` if the rails would have done nothing.
    fn of<E: Payloads>(event: HookPoint, outcome: &Outcome<E>, changes: Vec<String>) -> Option<Self> {
        let stopped = StoppedBy::of(outcome);
        if stopped.is_none() && changes.is_empty() {
            return None;
        }
        let suspends = match outcome {
            Ok(Decision::Abort(abort)) => matches!(abort.get().ending.as_deref(), Some(Ending::Suspension(_))),
            _ => false,
        };
        let (rail_name, how, reason) = match stopped {
            Some(stopped) => (Some(stopped.rail_name), Some(stopped.how), Some(stopped.reason)),
            None => (None, None, None),
        };
        Some(Self { rail_name, event, how, suspends, reason, changes })
    }

    /// Publishes the report.
    fn publish(&self, ctx: &RailContext) {
        let how = match self.how {
            _ if self.suspends => "suspend",
            None => "rewrite",
            Some(StopKind::Skip) => "skip",
            Some(StopKind::Retry) => "retry",
            Some(StopKind::Abort) => "abort",
            Some(StopKind::Fault) => "fault",
        };
        tracing::info!(
            target: ShadowDecision::TARGET,
            rail = self.rail_name.as_ref().map(RailName::as_str),
            event = self.event.name(),
            how,
            reason = self.reason.as_ref().map(Reason::as_str),
            changes = ?self.changes,
            "a rail in shadow would have acted"
        );
        ctx.emit(Self::RECORD, self);
    }
}

/// The payload of a rail or guard set in shadow: a copy of the parts that it may change.
pub(crate) struct ShadowPayload<E: CopiedPayload> {
    rail: ShadowKey,
    copies: E::Copies,
    /// The payload before, if the rail may change it.
    before: Option<Value>,
}

impl<E: CopiedPayload> ShadowPayload<E> {
    /// Copies the payload for a rail that holds back `window` characters of a streamed answer. Returns `None` if the rail
    /// has nothing to do yet.
    pub(crate) fn new(
        mut payload: E::Payload<'_>,
        rail: RailIdentity,
        may_rewrite: bool,
        window: usize,
    ) -> Option<Self> {
        let rail = rail.key();
        let mut copied = Self { rail, copies: E::Copies::default(), before: None };
        // A rail holds text back in its window, so the window in shadow lives as long as the answer.
        if let Some(window) = shadow_window::<E>(E::reborrow(&mut payload), rail, window) {
            let is_due = window.is_due() && !window.ends();
            copied.replace_window(E::reborrow(&mut payload), window);
            if !is_due {
                copied.keep_window(payload, true);
                return None;
            }
        }
        if may_rewrite {
            copied.before = Some(changeable(&E::inputs(copied.lend(E::reborrow(&mut payload)))));
        }
        Some(copied)
    }

    /// Returns the payload for the rail.
    pub(crate) fn lend<'a>(&'a mut self, payload: E::Payload<'a>) -> E::Payload<'a> {
        E::copied(payload, &mut self.copies)
    }

    /// Reports what the rail would have done. `rail_name` is the rail that would have changed the payload, if it is one rail.
    pub(crate) fn report(
        mut self,
        mut payload: E::Payload<'_>,
        outcome: &Outcome<E>,
        rail_name: Option<&RailName>,
        ctx: &RailContext,
    ) {
        let before = self.before.take();
        let mut after = || changeable(&E::inputs(self.lend(E::reborrow(&mut payload))));
        let changes = before.map(|before| changed_paths(&before, &after()));
        if let Some(mut decision) = ShadowDecision::of(E::POINT, outcome, changes.unwrap_or_default()) {
            decision.rail_name = decision.rail_name.or_else(|| rail_name.cloned());
            decision.publish(ctx);
        }
        if E::POINT == HookPoint::LlmChunk {
            let ends_answer = matches!(outcome, Err(_) | Ok(Decision::Abort(_) | Decision::Retry(_)));
            self.with_window(E::reborrow(&mut payload), |window| {
                if ends_answer {
                    window.end();
                }
            });
            self.keep_window(payload, matches!(outcome, Ok(Decision::Continue)));
        }
    }

    /// Replaces the copy of the window.
    fn replace_window(&mut self, payload: E::Payload<'_>, window: StreamWindow) {
        self.with_window(payload, |copy| *copy = window);
    }

    /// Keeps the copy of the window for the next text of the answer.
    fn keep_window(&mut self, mut payload: E::Payload<'_>, all_passed: bool) {
        let mut taken = None;
        self.with_window(E::reborrow(&mut payload), |copy| taken = Some(std::mem::take(copy)));
        if let (Some(copy), Inputs::LlmChunk(_, window)) = (taken, E::inputs(payload)) {
            window.put_shadow(self.rail, copy, all_passed);
        }
    }

    fn with_window(&mut self, mut payload: E::Payload<'_>, change: impl FnOnce(&mut StreamWindow)) {
        if let Inputs::LlmChunk(_, window) = E::inputs(self.lend(E::reborrow(&mut payload))) {
            change(window);
        }
    }
}

/// Takes the window of a rail in shadow out of the payload of `LlmChunk`.
fn shadow_window<E: CopiedPayload>(payload: E::Payload<'_>, rail: ShadowKey, fixed: usize) -> Option<StreamWindow> {
    match E::inputs(payload) {
        Inputs::LlmChunk(_, window) => Some(window.take_shadow(rail, fixed)),
        _ => None,
    }
}
