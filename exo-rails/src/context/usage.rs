//! The tokens that a run has used.

use super::RunScope;
use crate::message::Usage;

/// The tokens that the model calls of the run have used.
#[derive(Clone, Default)]
pub(super) struct Used(pub(super) Usage);

impl RunScope {
    /// Returns the tokens that the guarded model calls of this run have used so far. They include calls whose answer a
    /// rail refused, and calls by rails and tools that use the context of the run.
    ///
    /// ```
    /// use exo_rails::message::Usage;
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(on = [PreLlmCall])]
    /// fn budget(ctx: &RailContext) -> Verdict {
    ///     Verdict::abort_if(ctx.usage().total_tokens > 100, "the run has used its tokens")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let (rails, mut ctx) = (rail_chain![budget], RunContext::new("demo"));
    /// let model = |_| async {
    ///     let usage = Usage { total_tokens: 120, ..Usage::default() };
    ///     Ok::<_, OperationError>(ModelResponse { usage: Some(usage), ..ModelResponse::text("hello") })
    /// };
    /// rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await?;
    /// assert_eq!(ctx.usage().total_tokens, 120);
    /// assert!(rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.is_err());
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        // The calls of a rail in shadow are in its own store.
        self.run.read_all(|Used(used)| usage += used);
        usage
    }

    pub(crate) fn count_usage(&self, usage: &Usage) {
        self.run.update(|used: &mut Used| used.0 += usage);
    }
}
