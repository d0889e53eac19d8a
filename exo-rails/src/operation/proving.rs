//! Guarded operations with permits that name the requirements of the guard set.

use std::marker::PhantomData;

use super::guard::{Guard, ServesOperation};
use super::guarded::Guarded;
use super::permit::{Permit, prove};
use crate::context::RunContext;
use crate::error::{OperationError, RunError};
use crate::event::{CustomOperation, Operation};
use crate::guard_set::GuardSet;
use crate::message::{
    IntoInvokeInputs, InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse, ToolCallInputs, ToolOutput,
};

/// A guard set whose permits name the requirements `P` that it meets. [`Guard::proving`] makes it.
///
/// Every guard set makes a `Permit<ToolCallInputs>`, also [`NoRails`](crate::NoRails). An executor that takes a
/// `Permit<ToolCallInputs, P>` runs only behind a guard set that [meets](crate::Meets) `P`:
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::chain_requirements;
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn permission_check(call: &ToolCallInputs) -> Verdict {
///     Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
/// }
///
/// chain_requirements! { pub struct Company { require(permission_check on PreToolCall) } }
///
/// rail_chain! {
///     #[chain(requirements = Company)]
///     struct SupportRails { permission_check }
/// }
///
/// /// Changes the database. Only a guard set that meets `Company` can call it.
/// async fn change_database(call: Permit<ToolCallInputs, Company>) -> Result<ToolOutput, OperationError> {
///     Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let (call, mut ctx) = (ToolCallInputs::new("add_row"), RunContext::new("demo"));
/// let output = SupportRails.proving::<Company>().guard_tool_call(call, &mut ctx, change_database).await?;
/// assert_eq!(output.content, "add_row has run");
/// # Ok(()) }
/// ```
///
/// Another guard set does not compile there:
///
/// ```compile_fail,E0277
/// # use exo_rails::prelude::*;
/// # use exo_rails::{NoRails, chain_requirements};
/// # #[rail(priority = 10, on = [PreToolCall])]
/// # fn permission_check(call: &ToolCallInputs) {}
/// chain_requirements! { pub struct Company { require(permission_check on PreToolCall) } }
///
/// NoRails.proving::<Company>();
/// ```
///
/// The proof is about requirements, and not about one chain. A permit with a proof [converts](From) into one without.
#[derive(Debug)]
pub struct Proving<'r, R: ?Sized, P> {
    rails: &'r R,
    proof: PhantomData<fn() -> P>,
}

impl<R: ?Sized, P> Clone for Proving<'_, R, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: ?Sized, P> Copy for Proving<'_, R, P> {}

impl<'r, R, P> Proving<'r, R, P> {
    pub(super) const fn new(rails: &'r R) -> Self {
        Self { rails, proof: PhantomData }
    }
}

type Proven<F, I, O, E, P> = <F as Guarded<I, O, E, P>>::Future;

// `Guard::proving` has checked that the guard set meets the requirements. With the bound here too, rustc would report it twice.
impl<R: GuardSet, P: 'static> Proving<'_, R, P> {
    /// Guards a run like [`Guard::guard_run`].
    ///
    /// # Errors
    /// Returns an error in the same cases.
    pub fn guard_run<F>(
        self,
        inputs: impl IntoInvokeInputs<This: Sized>,
        ctx: &mut RunContext,
        mut run: F,
    ) -> impl Future<Output = Result<InvokeOutput, RunError>> + Send
    where
        F: Guarded<InvokeInputs, InvokeOutput, RunError, P, Future: Sized>,
        F: FnMut(Permit<InvokeInputs, P>) -> Proven<F, InvokeInputs, InvokeOutput, RunError, P>,
    {
        self.rails.guard_run(inputs, ctx, move |permit| run(prove(permit)))
    }

    /// Guards a model call like [`Guard::guard_llm_call`].
    ///
    /// # Errors
    /// Returns an error in the same cases.
    pub fn guard_llm_call<F>(
        self,
        call: ModelCallInputs,
        ctx: &mut RunContext,
        mut model: F,
    ) -> impl Future<Output = Result<ModelResponse, RunError>> + Send
    where
        F: Guarded<ModelCallInputs, ModelResponse, OperationError, P, Future: Sized>,
        F: FnMut(Permit<ModelCallInputs, P>) -> Proven<F, ModelCallInputs, ModelResponse, OperationError, P>,
    {
        self.rails.guard_llm_call(call, ctx, move |permit| model(prove(permit)))
    }

    /// Guards a tool call like [`Guard::guard_tool_call`].
    ///
    /// # Errors
    /// Returns an error in the same cases.
    pub fn guard_tool_call<F>(
        self,
        call: ToolCallInputs,
        ctx: &mut RunContext,
        mut tool: F,
    ) -> impl Future<Output = Result<ToolOutput, RunError>> + Send
    where
        F: Guarded<ToolCallInputs, ToolOutput, OperationError, P, Future: Sized>,
        F: FnMut(Permit<ToolCallInputs, P>) -> Proven<F, ToolCallInputs, ToolOutput, OperationError, P>,
    {
        self.rails.guard_tool_call(call, ctx, move |permit| tool(prove(permit)))
    }

    /// Guards a custom operation like [`Guard::guard_operation`].
    ///
    /// # Errors
    /// Returns an error in the same cases.
    pub fn guard_operation<O, F>(
        self,
        inputs: O::Inputs,
        ctx: &mut RunContext,
        mut operation: F,
    ) -> impl Future<Output = Result<O::Output, RunError>> + Send
    where
        O: CustomOperation,
        F: Guarded<O::Inputs, O::Output, OperationError, P, Future: Sized>,
        F: FnMut(
            Permit<O::Inputs, P>,
        ) -> Proven<F, <O as Operation>::Inputs, <O as Operation>::Output, OperationError, P>,
        R: ServesOperation<O, Itself: Sized>,
    {
        self.rails.guard_operation::<O, _>(inputs, ctx, move |permit| operation(prove(permit)))
    }
}
