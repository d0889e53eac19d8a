//! Operations: the steps that a pair of events surrounds.

use futures_util::future::BoxFuture;

use crate::action::NoSubstitute;
use crate::context::RunScope;
use crate::error::{OperationError, RunError};
use crate::event::{Event, Payloads};
use crate::message::{
    CompactionInputs, CompactionOutput, InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse, ToolCallInputs,
    ToolOutput,
};

use super::sound::Check;
use super::types::{
    Error, Finished, LlmError, PostCompaction, PostLlmCall, PostToolCall, PreCompaction, PreLlmCall, PreToolCall,
    Start, ToolError,
};

/// A step that a pair of events surrounds: a [run](Run), a [model call](LlmCall), a [tool call](ToolCall), a
/// [compaction](Compaction), or a [custom operation](CustomOperation).
///
/// A rail around an operation names it as the parameter of [`Next`]: `next: impl Next<ToolCall>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operation",
    label = "not an operation",
    note = "the operations are `ToolCall`, `LlmCall`, `Run` and `Compaction` in `exo_rails::operations`",
    note = "declare a custom operation with `#[derive(Operation)]`"
)]
pub trait Operation: Sized + Send + Sync + 'static {
    /// The inputs of the operation.
    type Inputs: Clone + Send + Sync + 'static;

    /// The result of the operation.
    type Output: Send + Sync;

    /// The error of the operation.
    type Error: Send + Sync;

    /// The event before the operation.
    type Pre: Begins<Operation = Self> + Payloads<Substitute = Self::Output>;

    /// The event after the operation.
    type Post: Event;

    /// The event of the operation's failure. For a run, it is [`Error`](struct@crate::events::Error). A compaction has no
    /// such event: this type is `Error` too, but no rail of `Error` runs when a compaction fails.
    type Failed: Event;
}

/// An event before an operation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not begin an operation",
    label = "nothing to surround",
    note = "a rail with `around` is on the event before an operation: `PreToolCall`, `PreLlmCall`, `Start`, `PreCompaction`, or the first event of a custom operation"
)]
pub trait Begins: Event {
    /// The operation that follows if the rails of the event continue.
    type Operation: Operation<Pre = Self>;
}

/// Requires that an operation begins at the event. A rail around the operation calls it once, for the constant in
/// [`Check`].
#[doc(hidden)]
pub const fn begins<E: Begins>() {}

/// The result of an operation.
pub type OperationResult<O> = Result<<O as Operation>::Output, <O as Operation>::Error>;

/// The operation that a rail surrounds, including the rails that are further in. A rail [around an
/// operation](macro@crate::rail#rails-around-an-operation) takes it as a parameter and runs it.
///
/// It holds the permit of the operation. [`run`](Self::run) takes it by value, so the operation happens at most once in
/// each attempt. A rail that does not run it returns its own result instead, such as a cached one.
#[diagnostic::on_unimplemented(
    message = "this is not the operation that the rail surrounds",
    label = "not `impl Next<{O}>`",
    note = "take the operation as `next: impl Next<{O}>`, and run it with `next.run().await`"
)]
pub trait Next<O: Operation>: Send {
    /// Runs the operation.
    ///
    /// # Errors
    /// Returns the error of the operation.
    fn run(self) -> impl Future<Output = OperationResult<O>> + Send;

    /// Returns the state, the cancellation and the names of the run. They are the same for all events of the run.
    fn scope(&self) -> &RunScope;

    /// Returns how many times the operation has been retried: 0 in the first attempt.
    fn attempt(&self) -> u32;
}

/// The return type of a rail around the operation `O`: it must be `R`, the result of the operation. The macros name this
/// trait, so that the compiler reports a wrong type where the rail is written.
#[diagnostic::on_unimplemented(
    message = "a rail around `{O}` cannot return `{Self}`",
    label = "not the result of the operation",
    note = "return the result of the operation: `{R}`",
    note = "a rail with `around` cannot decide: to skip or abort, write a rail without `around` on the same event"
)]
pub trait ReturnedAround<O, R> {
    /// The macros name this constant to check that the type implements the trait.
    #[doc(hidden)]
    const IT: bool = true;
}

#[diagnostic::do_not_recommend]
impl<O, R> ReturnedAround<O, R> for R {}

// See `Decoy`.
#[diagnostic::do_not_recommend]
impl<O, R: super::Decoy> ReturnedAround<O, Result<R, R>> for (R, R) {}

/// The operation that a rail of a list surrounds, without its type.
#[doc(hidden)]
pub struct BoxedNext<'a, O: Operation>(Box<dyn DynNext<'a, O> + 'a>);

impl<'a, O: Operation> BoxedNext<'a, O> {
    pub(crate) fn new(next: impl Next<O> + 'a) -> Self {
        Self(Box::new(next))
    }
}

trait DynNext<'a, O: Operation>: Send {
    fn run(self: Box<Self>) -> BoxFuture<'a, OperationResult<O>>;
    fn scope(&self) -> &RunScope;
    fn attempt(&self) -> u32;
}

impl<'a, O: Operation, N: Next<O> + 'a> DynNext<'a, O> for N {
    fn run(self: Box<Self>) -> BoxFuture<'a, OperationResult<O>> {
        Box::pin(Next::run(*self))
    }

    fn scope(&self) -> &RunScope {
        Next::scope(self)
    }

    fn attempt(&self) -> u32 {
        Next::attempt(self)
    }
}

impl<O: Operation> Next<O> for BoxedNext<'_, O> {
    fn run(self) -> impl Future<Output = OperationResult<O>> + Send {
        self.0.run()
    }

    fn scope(&self) -> &RunScope {
        self.0.scope()
    }

    fn attempt(&self) -> u32 {
        self.0.attempt()
    }
}

macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        $operation:ident: $pre:ident($inputs:ty) -> $post:ident($output:ty), $failed:ident($error:ty);
    )*) => {
        /// The operations of the library, as types.
        pub mod operations {
            $(
                $(#[$doc])*
                #[derive(Clone, Copy, Debug)]
                pub enum $operation {}
            )*
        }

        pub(crate) use operations::*;

        $(
            impl Operation for $operation {
                type Inputs = $inputs;
                type Output = $output;
                type Error = $error;
                type Pre = $pre;
                type Post = $post;
                type Failed = $failed;
            }

            impl Begins for $pre {
                type Operation = $operation;
            }
        )*
    };
}

/// A custom operation. `#[derive(Operation)]` makes it from a struct.
///
/// It works like the operations of the library: an event before it, which yields the permit, an event after it and an event
/// of its failure, retries, substitutes, and rails around it. [`guard_operation`](crate::Guard::guard_operation) guards it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a custom operation",
    label = "not a custom operation",
    note = "declare a custom operation with `#[derive(Operation)]` and `#[operation(inputs = Document, output = Receipt)]`",
    note = "operations of the library have methods: `guard_run`, `guard_llm_call`, `guard_tool_call`, `guard_compaction`"
)]
pub trait CustomOperation:
    Operation<
        Error = OperationError,
        Post: Payloads<Substitute = NoSubstitute>,
        Failed: Payloads<Substitute = <Self as Operation>::Output>,
    >
{
    /// The name of the operation, such as `store_document`.
    const NAME: &'static str;

    #[doc(hidden)]
    fn pre(inputs: &mut Self::Inputs) -> <Self::Pre as Payloads>::Payload<'_>;

    #[doc(hidden)]
    fn post<'a>(inputs: &'a Self::Inputs, output: &'a mut Self::Output) -> <Self::Post as Payloads>::Payload<'a>;

    #[doc(hidden)]
    fn failed<'a>(inputs: &'a Self::Inputs, error: &'a OperationError) -> <Self::Failed as Payloads>::Payload<'a>;
}

/// The events of a custom operation. `Here` is a type of the crate that uses the events: see [`Sound`](super::Sound).
#[doc(hidden)]
pub trait OperationEvents<Here> {
    type Pre;
    type Post;
    type Failed;
}

/// The events of the custom operation `O`. They exist only if the constant in [`Check`] compiles: see
/// [`Sound`](super::Sound).
#[doc(hidden)]
pub trait EventsOf<O, Here> {
    type Pre;
    type Post;
    type Failed;
}

impl<O: OperationEvents<Here>, Here> EventsOf<O, Here> for Check<true> {
    type Pre = O::Pre;
    type Post = O::Post;
    type Failed = O::Failed;
}

operations! {
    /// A run: from [`Start`](crate::events::Start) to [`Finished`](crate::events::Finished).
    Run: Start(InvokeInputs) -> Finished(InvokeOutput), Error(RunError);
    /// A call of the model: from [`PreLlmCall`](crate::events::PreLlmCall) to [`PostLlmCall`](crate::events::PostLlmCall).
    LlmCall: PreLlmCall(ModelCallInputs) -> PostLlmCall(ModelResponse), LlmError(OperationError);
    /// A tool call: from [`PreToolCall`](crate::events::PreToolCall) to [`PostToolCall`](crate::events::PostToolCall).
    ToolCall: PreToolCall(ToolCallInputs) -> PostToolCall(ToolOutput), ToolError(OperationError);
    /// A compaction of the history: from [`PreCompaction`](crate::events::PreCompaction) to
    /// [`PostCompaction`](crate::events::PostCompaction).
    Compaction: PreCompaction(CompactionInputs) -> PostCompaction(CompactionOutput), Error(OperationError);
}
