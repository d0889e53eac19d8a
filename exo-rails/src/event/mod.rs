//! Events: the points of an agent's lifecycle, as types. The type determines which data an event carries, and what it
//! allows.

pub(crate) mod changes;
pub(crate) mod copied;
pub(crate) mod custom;
pub(crate) mod layer;
pub(crate) mod operation;
pub(crate) mod param;
pub(crate) mod sound;
pub(crate) mod tool_event;
pub(crate) mod types;

pub use copied::*;
pub use custom::*;
pub use layer::*;
pub use operation::*;
pub use param::*;
pub use sound::*;
pub use tool_event::*;
pub use types::*;

use crate::action::{Allowed, NoSubstitute, RailRetry, RailSkip};
use crate::error::RailAbortError;
use crate::point::HookPoint;

/// The payload of an event, and the types that a decision at the event holds.
///
/// The typed [events](crate::events) implement it, and so does [`AnyEvent`], the event of plain hooks.
#[diagnostic::on_unimplemented(message = "`{Self}` is not an event", label = "not an event")]
pub trait Payloads: Sized + Send + Sync + 'static {
    /// The data that the event carries: references to its parts. A payload of several parts is a tuple.
    type Payload<'a>: Send;

    /// The substitute that a rail may bring with a skip, in place of the operation's result.
    /// [`NoSubstitute`](crate::NoSubstitute) if the event takes no substitute.
    type Substitute: Send + 'static;

    /// The content of [`Decision::Skip`](crate::Decision::Skip): a [`RailSkip`], or
    /// [`EventCannotSkip`](crate::EventCannotSkip) if no rail may skip.
    type Skip: Allowed<RailSkip<Self::Substitute>>;

    /// The content of [`Decision::Retry`](crate::Decision::Retry): a [`RailRetry`], or
    /// [`EventCannotRetry`](crate::EventCannotRetry) if no rail may ask for a retry.
    type Retry: Allowed<RailRetry>;

    /// The content of [`Decision::Abort`](crate::Decision::Abort): a [`RailAbortError`], or
    /// [`EventCannotAbort`](crate::EventCannotAbort) if no rail may abort.
    type Abort: Allowed<RailAbortError>;

    /// Lends the payload to one rail.
    fn reborrow<'s>(payload: &'s mut Self::Payload<'_>) -> Self::Payload<'s>;
}

/// A point of an agent's lifecycle, as a type.
///
/// | event | payload | a skip may bring |
/// |---|---|---|
/// | [`SessionStart`] | `&SessionInfo` | |
/// | [`Start`] | `&mut InvokeInputs` | `InvokeOutput` |
/// | [`MemoryRecalled`] | `&MemoryQuery`, `&mut RecalledMemory` | `RecalledMemory` |
/// | [`ContextAssembled`] | `&mut ContextInputs` | |
/// | [`PreCompaction`] | `&mut CompactionInputs` | `CompactionOutput` |
/// | [`PostCompaction`] | `&CompactionInputs`, `&CompactionOutput` | |
/// | [`ContextOverflow`] | `&mut ContextInputs` | |
/// | [`PreLlmCall`] | `&mut ModelCallInputs` | `ModelResponse` |
/// | [`LlmChunk`] | `&ModelCallInputs`, `&mut StreamWindow` | |
/// | [`PostLlmCall`] | `&ModelCallInputs`, `&mut ModelResponse` | |
/// | [`LlmError`] | `&ModelCallInputs`, `&OperationError` | `ModelResponse` |
/// | [`PreToolCall`] | `&mut ToolCallInputs` | `ToolOutput` |
/// | [`PostToolCall`] | `&ToolCallInputs`, `&mut ToolOutput` | |
/// | [`ToolError`] | `&ToolCallInputs`, `&OperationError` | `ToolOutput` |
/// | [`Finished`] | `&InvokeInputs`, `&mut InvokeOutput` | |
/// | [`MemoryStored`] | `&mut MemoryEntry` | |
/// | [`Error`](struct@Error) | `&InvokeInputs`, `&RunError` | |
/// | [`Suspended`] | `&InvokeInputs`, `&OpenQuestion` | |
/// | [`SessionEnd`] | `&SessionInfo` | |
/// | [`Dropped`] | `&DroppedInputs` | |
///
/// Declare a custom event with [`#[derive(Event)]`](derive@crate::Event).
///
/// A rail may take these parameters:
///
/// - Any part of the payload: by `&`, or also by `&mut` if the table says `&mut`.
/// - The context: `&RailContext` or `&mut RailContext`.
/// - The whole payload, as [`Inputs`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "the events of the library are in `exo_rails::prelude`, like `Start`, `PreLlmCall` and `PostToolCall`",
    note = "an operation is not an event, but has events: `PreToolCall`, `PostToolCall` and `ToolError`; a custom operation has `PreStoreDocument`, `PostStoreDocument` and `StoreDocumentError`",
    note = "declare a custom event with `#[derive(Event)]`"
)]
pub trait Event: Payloads {
    /// The same point as a runtime value.
    const POINT: HookPoint;

    /// The actions that the rails may return, as a value: the runtime side of [`AllowsAbort`], [`AllowsSkip`] and
    /// [`AllowsRetry`].
    const ALLOWS: Allows;

    /// The return types of the rails, as the parts of a tuple. The error message about a wrong return type shows them.
    #[doc(hidden)]
    type Returns;

    /// The payload in parts, for the parameters of one rail.
    #[doc(hidden)]
    type Parts<'a>;

    /// Splits the payload into its parts.
    #[doc(hidden)]
    fn parts(payload: Self::Payload<'_>) -> Self::Parts<'_>;

    /// The payload behind `&`, for rails that read it concurrently.
    #[doc(hidden)]
    type Shared<'a>: Copy + Send + Sync;

    /// Lends the payload to all rails that run concurrently.
    #[doc(hidden)]
    fn share(payload: Self::Payload<'_>) -> Self::Shared<'_>;

    /// Rebuilds the payload from its parts, for a rail that takes the whole payload. `None` if a part is already taken.
    #[doc(hidden)]
    fn whole<'a>(parts: &mut Self::Parts<'a>) -> Option<Inputs<'a>>;

    /// Converts the payload into the union that plain hooks receive.
    fn inputs(payload: Self::Payload<'_>) -> Inputs<'_>;

    /// Returns the payload of this event from the union. `None` if the union holds the payload of another event.
    fn payload(inputs: Inputs<'_>) -> Option<Self::Payload<'_>>;
}

/// An event. [`dispatch`](crate::GuardSet::dispatch) asks for this trait. With a bound on
/// [`Event`], rustc would report the error three times.
#[doc(hidden)]
pub trait IsEvent: Event {
    // For the bound `Itself: Sized`, which is always met: see `RunFuture` in `operation/guard.rs`.
    type Itself;
}

#[diagnostic::do_not_recommend]
impl<E: Event> IsEvent for E {
    type Itself = ();
}

/// The decisions other than "continue" that an event allows. Each level includes the levels before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Allows {
    /// None: the rails observe.
    Nothing,
    /// Rails may abort.
    Abort,
    /// Rails may skip or abort.
    Skip,
    /// Rails may retry, skip or abort.
    Retry,
}

/// Events whose rails may abort the run.
pub trait AllowsAbort: Payloads {}

/// Events whose rails may also skip the operation.
pub trait AllowsSkip: AllowsAbort {}

/// Events whose rails may also retry the operation.
pub trait AllowsRetry: AllowsSkip {}

/// Types that a skip may bring in place of the result of the operation of event `E`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the substitute of a skip at `{E}`",
    label = "not the output of the operation",
    note = "the substitute is an `InvokeOutput` at `Start`, a `ModelResponse` at `PreLlmCall` and `LlmError`, a `ToolOutput` at `PreToolCall` and `ToolError`, a `CompactionOutput` at `PreCompaction`, a `RecalledMemory` at `MemoryRecalled`, and the type of `substitute` at a custom event; other events have none"
)]
pub trait SubstituteFor<E: Payloads>: Send {
    /// Converts into the substitute of the event.
    fn into_substitute(self) -> E::Substitute;
}

impl<E: Payloads> SubstituteFor<E> for NoSubstitute {
    fn into_substitute(self) -> E::Substitute {
        match self {}
    }
}

/// Any event. The payload is the union [`Inputs`], which holds the actual event. Plain hooks serve `AnyEvent`, because they
/// choose their event at run time.
#[derive(Clone, Copy, Debug)]
pub struct AnyEvent;

/// A substitute of any type, from a plain hook.
pub type AnySubstitute = Box<dyn std::any::Any + Send>;

impl Payloads for AnyEvent {
    type Payload<'a> = Inputs<'a>;
    type Substitute = AnySubstitute;
    type Skip = RailSkip<AnySubstitute>;
    type Retry = RailRetry;
    type Abort = RailAbortError;

    #[inline]
    fn reborrow<'s>(payload: &'s mut Inputs<'_>) -> Inputs<'s> {
        payload.reborrow()
    }
}

// `HookManager` compares the decision of a hook with the event when the hook has run.
impl AllowsAbort for AnyEvent {}
impl AllowsSkip for AnyEvent {}
impl AllowsRetry for AnyEvent {}
