//! The context of a rail in shadow.

use std::collections::HashMap;
use std::sync::Arc;

use super::extensions::BareExtensions;
use super::{RailContext, RunScope, Shared, SharedExtensions};
use crate::action::{Path, RailIdentity};

/// The values of the rails in shadow, in the store of the run or of the session.
#[derive(Default)]
pub(super) struct ShadowValues(HashMap<RailIdentity, BareExtensions>);

impl RunScope {
    /// Returns whether the rail or guard set runs [in shadow](crate::Mode::Shadow): its decision changes nothing.
    ///
    /// A rail with effects outside of the run, for example one that asks a person, leaves them out in shadow.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(on = [PreToolCall])]
    /// fn page_somebody(call: &ToolCallInputs, ctx: &RailContext) -> Verdict {
    ///     if call.tool_name == "drop_table" && !ctx.is_shadow() {
    ///         // Send the page.
    ///     }
    ///     Verdict::abort_if(call.tool_name == "drop_table", "a person has to look at this first")
    /// }
    /// # let _ = rail_chain![page_somebody];
    /// ```
    #[must_use]
    pub const fn is_shadow(&self) -> bool {
        self.is_shadow
    }
}

impl RailContext {
    /// Makes the context of a rail in shadow for the current event.
    ///
    /// The rail has its own values of the event, the run and the session. It still reads the values that other rails and
    /// the program have put into the run and the session, as long as it has not put a value of the same type there.
    #[cold]
    pub(crate) fn in_shadow(&self, rail: RailIdentity) -> Self {
        let mut scope = RunScope::clone(&self.scope);
        scope.run = in_shadow(&self.run, rail);
        scope.session = in_shadow(&self.session, rail);
        scope.retry_budget = scope.retry_budget.as_ref().map(super::retry_budget::RetryBudget::copied);
        scope.is_shadow = true;
        let shared = self.shared.as_ref();
        let shared =
            shared.map(|shared| Box::new(Shared { values: shared.values.clone(), stopped: shared.stopped.clone() }));
        Self {
            event: self.event,
            call_number: self.call_number,
            attempt: self.attempt,
            operation: self.operation.same(),
            substituted_by: self.substituted_by.clone(),
            shared,
            elapsed: self.elapsed,
            operation_end: self.operation_end,
            path: Path::default(),
            is_nested: self.is_nested,
            is_spent: self.is_spent,
            ..Self::of(Arc::new(scope), self.step)
        }
    }
}

/// Returns the store of a rail in shadow. It reads from the real store.
fn in_shadow(real: &SharedExtensions, rail: RailIdentity) -> SharedExtensions {
    let known = real.read(|ShadowValues(values): &ShadowValues| values.get(&rail).cloned()).flatten();
    let own = known.unwrap_or_else(|| {
        let new = BareExtensions::with_state(real.state().snapshot());
        real.update(|ShadowValues(values): &mut ShadowValues| values.entry(rail).or_insert(new).clone())
    });
    real.with_own(own)
}
