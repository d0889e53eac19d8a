//! Permits, which prove that the pre rails of an operation have allowed it.

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use crate::chain::ChainRequirements;
use crate::context::{Provided, RunContext, RunScope, Slot};
use crate::error::OperationError;
use crate::message::{InvokeInputs, OperationErrorKind};

/// The inputs of an operation with the changes of its pre rails. A permit proves that these rails have allowed the
/// operation.
///
/// Only a [guarded operation](crate::Guard::guard_tool_call) makes a permit, for one attempt. A permit is not `Clone`,
/// and its inputs cannot be changed. So an executor that takes a `Permit<ToolCallInputs>` cannot be called without a guard
/// set, with arguments that the rails of the guard set have not seen, or twice for one decision.
///
/// Every guard set makes a `Permit<T>`, also [`NoRails`](crate::NoRails), which has no rails. A `Permit<T, P>` proves more:
/// the guard set [meets](crate::Meets) the requirements `P`. [`Guard::proving`](crate::Guard::proving) makes it.
///
/// The operation must drop the permit before it ends. A task of the operation may drop it a little later: the guard waits up to a
/// second. If the permit is kept longer, the guard fails with [`RunError::PermitKept`](crate::RunError::PermitKept).
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::NoRails;
///
/// struct Tools;
///
/// impl Tools {
///     /// Runs a tool. Only a guard can call it.
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
/// Without a guard, there is no permit to pass:
///
/// ```compile_fail,E0308
/// # use exo_rails::prelude::*;
/// # async fn run(call: Permit<ToolCallInputs>) {}
/// # async fn unguarded() {
/// run(ToolCallInputs::new("delete_file")).await;
/// # }
/// ```
#[must_use = "a permit is for the operation that it was made for"]
pub struct Permit<T, P = AnyRails> {
    slot: Arc<Slot<T>>,
    /// The requirements that the guard set meets.
    proof: PhantomData<fn() -> P>,
}

/// The proof of a [`Permit`] that any guard set makes.
#[derive(Clone, Copy, Debug)]
pub struct AnyRails;

/// Makes a permit for one attempt. Not an associated function, so that rustc never proposes it to users.
pub(crate) fn issue<T>(slot: &Arc<Slot<T>>) -> Permit<T> {
    Permit { slot: Arc::clone(slot), proof: PhantomData }
}

/// Adds a proof to a permit. The caller has checked that the guard set meets the requirements.
pub(super) fn prove<T, P>(permit: Permit<T>) -> Permit<T, P> {
    Permit { slot: permit.slot, proof: PhantomData }
}

/// Drops the proof, for an executor that takes a permit without one.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::ChainRequirements;
///
/// async fn log_and_run<P: ChainRequirements>(call: Permit<ToolCallInputs, P>) -> Result<ToolOutput, OperationError> {
///     println!("{}", call.tool_name);
///     run(call.into()).await
/// }
///
/// async fn run(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
///     Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
/// }
/// ```
impl<T, P: ChainRequirements> From<Permit<T, P>> for Permit<T> {
    fn from(permit: Permit<T, P>) -> Self {
        Self { slot: permit.slot, proof: PhantomData }
    }
}

/// A function in the place of a constructor. Its error message explains where a permit comes from.
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

impl<T> Permit<T> {
    /// A function in the place of a constructor, like the function `Permit`.
    #[doc(hidden)]
    #[expect(clippy::new_ret_no_self, reason = "rustc proposes what returns `Self`")]
    pub fn new<P, I: MakesPermits>(inputs: I) -> P {
        inputs.permit()
    }
}

impl<T: 'static, P> Permit<T, P> {
    /// Returns a context for operations inside this one. It belongs to the same run, at the same step.
    ///
    /// A run needs it for its model calls and tool calls. A tool that runs an agent can give the agent the state and
    /// the cancellation of the run.
    #[must_use]
    pub fn context(&self) -> RunContext {
        // The operations directly inside a run belong to the run, and those inside a tool call to the tool.
        let is_nested = self.slot.is_nested || TypeId::of::<T>() != TypeId::of::<InvokeInputs>();
        RunContext::of(Arc::clone(&self.slot.scope), self.slot.step, is_nested)
    }
}

impl<T, P> Permit<T, P> {
    /// Returns the number of retries of the operation so far. The first attempt is 0.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.slot.attempt
    }

    /// Returns the value of this type that a rail before the operation has [provided](crate::Provided), or `None`.
    ///
    /// Use it for facts that an executor needs, such as the directory in which a tool may write. A rail that provides a
    /// value has seen the inputs of the permit, unless a later rail has changed them.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[derive(Provided)]
    /// struct Grant { directory: &'static str }
    ///
    /// #[rail(priority = 10, on = [PreToolCall], provides = [Grant])]
    /// fn permissions(_call: &ToolCallInputs) -> Grant {
    ///     Grant { directory: "/tmp/agent" }
    /// }
    ///
    /// async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    ///     let grant = call.provided::<Grant>().ok_or("no rail has granted a directory")?;
    ///     Ok(ToolOutput::text(format!("{} runs in {}", call.tool_name, grant.directory)))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let (rails, mut ctx) = (rail_chain![permissions], RunContext::new("demo"));
    /// let output = rails.guard_tool_call(ToolCallInputs::new("shell"), &mut ctx, run_tool).await?;
    /// assert_eq!(output.content, "shell runs in /tmp/agent");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn provided<V: Provided>(&self) -> Option<&V> {
        self.slot.provided.as_ref()?.get(&TypeId::of::<V>())?.downcast_ref()
    }

    /// Returns a second handle to the permit. The library checks with it whether the permit is still open when the
    /// operation begins.
    pub(super) fn share(&self) -> Self {
        Self { slot: Arc::clone(&self.slot), proof: PhantomData }
    }

    /// Checks that the permit is still valid: its guard is waiting for the operation.
    ///
    /// A permit is no longer valid if the operation keeps it after its end, or if the guard was dropped. A
    /// [`Tool`](crate::Tool), and the models and the memory of `exo-rails-agent`, check this before they act. A custom
    /// executor must check it too.
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
    /// Returns an error of the kind [`Denied`](OperationErrorKind::Denied) if the guard has ended.
    pub fn ensure_open(&self) -> Result<(), OperationError> {
        if self.slot.is_closed() {
            let message = "the permit is used after its guard has ended";
            return Err(OperationError::new(OperationErrorKind::Denied, message));
        }
        Ok(())
    }

    /// Returns the part of the context that is the same for all events of the run.
    #[must_use]
    pub fn scope(&self) -> &RunScope {
        &self.slot.scope
    }
}

/// Types that make a permit outside of a guard. No type implements the trait.
#[diagnostic::on_unimplemented(
    message = "only a guard makes a permit, after its rails let the operation pass",
    label = "inputs are not a permit",
    note = "let a guard call the executor: `rails.guard_tool_call(call, &mut ctx, run_tool).await?`",
    note = "`guard_llm_call`, `guard_stream`, `guard_compaction`, `guard_recall`, `guard_store` and `guard_run` do the same for other operations; `NoRails` is a guard set without rails"
)]
pub trait MakesPermits {
    /// Returns a permit.
    fn permit<P>(self) -> P;
}

impl<T, P> Deref for Permit<T, P> {
    type Target = T;

    fn deref(&self) -> &T {
        self.slot.inputs()
    }
}

impl<T: fmt::Debug, P> fmt::Debug for Permit<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Permit").field(self.slot.inputs()).finish()
    }
}
