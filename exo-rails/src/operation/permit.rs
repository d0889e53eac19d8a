//! Proof that the pre rails of an operation have let it pass.

use std::any::TypeId;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::context::{RunContext, RunScope, Slot};
use crate::error::OperationError;
use crate::message::{InvokeInputs, OperationErrorKind};

/// The inputs of an operation as the pre rails have left them: proof that they let it pass.
///
/// Only a [guarded operation](crate::Guard::guard_tool_call) makes one, for one attempt. It is not `Clone`
/// and its inputs cannot be changed, so an executor that asks for a `Permit<ToolCallInputs>` cannot be called
/// unguarded, nor with arguments that no rail has seen, nor twice for one decision. It is given up when the
/// operation ends: an operation that keeps it fails with [`RunError::PermitKept`](crate::RunError::PermitKept).
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::NoRails;
///
/// struct Tools;
///
/// impl Tools {
///     /// Cannot be called without a guard.
///     async fn run(&self, call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
///         Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let (tools, mut ctx) = (Tools, RunContext::new("demo"));
/// let call = ToolCallInputs::new("search");
/// let output = NoRails.guard_tool_call(call, &mut ctx, |call| tools.run(call)).await?;
/// assert_eq!(output.content, "search has run");
/// # Ok(()) }
/// ```
///
/// Without a guard there is nothing to hand over:
///
/// ```compile_fail,E0308
/// # use exo_rails::prelude::*;
/// # async fn run(call: Permit<ToolCallInputs>) {}
/// # async fn unguarded() {
/// run(ToolCallInputs::new("delete_file")).await;
/// # }
/// ```
#[must_use = "a permit is for the operation that it was made for"]
pub struct Permit<T> {
    slot: Arc<Slot<T>>,
}

/// A permit for one attempt. No associated function, so that the compiler never proposes it to users.
pub(crate) fn issue<T>(slot: &Arc<Slot<T>>) -> Permit<T> {
    Permit { slot: Arc::clone(slot) }
}

/// In the place of a constructor: it says where a permit comes from.
#[doc(hidden)]
#[expect(non_snake_case, reason = "people write it as the constructor of a tuple struct")]
pub fn Permit<T, I: MakesPermits>(inputs: I) -> Permit<T> {
    inputs.permit()
}

impl<T, I: MakesPermits> From<I> for Permit<T> {
    fn from(inputs: I) -> Self {
        inputs.permit()
    }
}

impl<T: 'static> Permit<T> {
    /// In the place of a constructor, like the function `Permit`.
    #[doc(hidden)]
    #[expect(clippy::new_ret_no_self, reason = "rustc proposes what returns `Self`")]
    pub fn new<P, I: MakesPermits>(inputs: I) -> P {
        inputs.permit()
    }

    /// A context for operations inside this one: of the same run, at the same step.
    ///
    /// A run needs it for its model calls and tool calls; a tool that runs an agent of its own can take run
    /// state and cancellation from it.
    #[must_use]
    pub fn context(&self) -> RunContext {
        // The operations inside a run are its own, those inside a tool call are the tool's.
        let is_nested = self.slot.is_nested || TypeId::of::<T>() != TypeId::of::<InvokeInputs>();
        RunContext::of(Arc::clone(&self.slot.scope), self.slot.step, is_nested)
    }
}

impl<T> Permit<T> {
    /// How many times the operation has been retried: 0 when it is done for the first time.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.slot.attempt
    }

    /// The same permit once more: for what asks whether it is open when the operation begins.
    pub(super) fn share(&self) -> Self {
        Self { slot: Arc::clone(&self.slot) }
    }

    /// Asserts that the permit is still good: the guard that issued it waits for the operation.
    ///
    /// A permit that an operation keeps, or that outlives a guard which was dropped, is worth nothing. A
    /// [`Tool`](crate::Tool) and the models and the memory of `exo-rails-agent` check this before they act. A custom executor
    /// checks it before it acts.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use exo_rails::prelude::*;
    ///
    /// use exo_rails::NoRails;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let kept = Mutex::new(None);
    /// let thief = |call: Permit<ToolCallInputs>| {
    ///     assert!(call.ensure_open().is_ok());
    ///     *kept.lock().unwrap() = Some(call);
    ///     async { Ok::<_, OperationError>(ToolOutput::text("done")) }
    /// };
    /// let result = NoRails.guard_tool_call(ToolCallInputs::new("search"), &mut RunContext::new("demo"), thief).await;
    /// assert!(matches!(result, Err(RunError::PermitKept { .. })));
    /// let kept = kept.into_inner().unwrap().unwrap();
    /// assert!(kept.ensure_open().is_err());
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the guard is over: [`Denied`](OperationErrorKind::Denied).
    pub fn ensure_open(&self) -> Result<(), OperationError> {
        if self.slot.is_closed() {
            let message = "the permit is used after its guard has ended";
            return Err(OperationError::new(OperationErrorKind::Denied, message));
        }
        Ok(())
    }

    /// What is the same for all events of the run.
    #[must_use]
    pub fn scope(&self) -> &RunScope {
        &self.slot.scope
    }
}

/// What could make a permit outside of a guard. Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "only a guard makes a permit, when its rails have let the operation pass",
    label = "inputs are not a permit",
    note = "let a guard call the executor: `rails.guard_tool_call(call, &mut ctx, run_tool).await?`",
    note = "`guard_llm_call`, `guard_stream`, `guard_compaction`, `guard_recall`, `guard_store` and `guard_run` do the same for the other operations; `NoRails` is a guard without rails"
)]
pub trait MakesPermits {
    /// What nobody has.
    fn permit<P>(self) -> P;
}

impl<T> Deref for Permit<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.slot.inputs()
    }
}

impl<T: fmt::Debug> fmt::Debug for Permit<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Permit").field(self.slot.inputs()).finish()
    }
}
