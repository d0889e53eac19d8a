//! Events: the points of an agent's lifecycle, as types that know which data they carry and what they allow.

pub(crate) mod custom;
pub(crate) mod operation;
pub(crate) mod param;
pub(crate) mod sound;
pub(crate) mod tool_event;
pub(crate) mod types;

pub use custom::*;
pub use operation::*;
pub use param::*;
pub use sound::*;
pub use tool_event::*;
pub use types::*;

use crate::action::{Allowed, NoSubstitute, RailRetry, RailSkip};
use crate::error::RailAbortError;
use crate::point::HookPoint;

/// What an event hands to its rails, and what a skip may put in the place of its operation's result.
///
/// The typed [events](crate::events) have it, and [`AnyEvent`], which plain hooks serve.
pub trait Payloads: Sized + Send + Sync + 'static {
    /// The data that the event carries: references to its parts, in a tuple where there are two.
    type Payload<'a>: Send;

    /// What stands in for the operation's result when a rail skips it; [`NoSubstitute`](crate::NoSubstitute)
    /// where nothing can.
    type Substitute: Send + 'static;

    /// What [`Decision::Skip`](crate::Decision::Skip) holds: a [`RailSkip`], or [`Infallible`](std::convert::Infallible) where no rail may skip.
    type Skip: Allowed<RailSkip<Self::Substitute>>;

    /// What [`Decision::Retry`](crate::Decision::Retry) holds: a [`RailRetry`], or [`Infallible`](std::convert::Infallible) where no rail may ask
    /// for a retry.
    type Retry: Allowed<RailRetry>;

    /// What [`Decision::Abort`](crate::Decision::Abort) holds: a [`RailAbortError`], or [`Infallible`](std::convert::Infallible) where no rail may
    /// abort.
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
/// Custom events are declared with [`#[derive(Event)]`](derive@crate::Event).
///
/// A rail may ask for any part of the payload, by `&` or, where the table says `&mut`, by either; for
/// `&mut RailContext` or `&RailContext`; or for the whole as [`Inputs`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "the events are `SessionStart`, `Start`, `MemoryRecalled`, `ContextAssembled`, `PreCompaction`, `PostCompaction`, `ContextOverflow`, `PreLlmCall`, `LlmChunk`, `PostLlmCall`, `LlmError`, `PreToolCall`, `PostToolCall`, `ToolError`, `Finished`, `MemoryStored`, `events::Error`, `Suspended`, `SessionEnd` and `Dropped`, all in `exo_rails::prelude`",
    note = "an operation has events: `PreToolCall`, `PostToolCall` and `ToolError`; those of a custom operation are called `PreStoreDocument`, `PostStoreDocument` and `StoreDocumentError`",
    note = "a custom event is declared with `#[derive(Event)]`"
)]
pub trait Event: Payloads {
    /// The same point as a runtime value.
    const POINT: HookPoint;

    /// What its rails may decide, as a value: the runtime side of [`AllowsAbort`] and [`AllowsRetry`].
    const ALLOWS: Allows;

    /// What its rails may return, the parts of a tuple: for the message about what they may not.
    #[doc(hidden)]
    type Returns;

    /// The payload, part by part, as the parameters of one rail take it.
    #[doc(hidden)]
    type Parts<'a>;

    /// Takes the payload apart.
    #[doc(hidden)]
    fn parts(payload: Self::Payload<'_>) -> Self::Parts<'_>;

    /// The payload, for several rails to look at together.
    #[doc(hidden)]
    type Shared<'a>: Copy + Send + Sync;

    /// Lends the payload to all of them.
    #[doc(hidden)]
    fn share(payload: Self::Payload<'_>) -> Self::Shared<'_>;

    /// Puts the parts together again, for a rail that takes them all; `None` when one is gone.
    #[doc(hidden)]
    fn whole<'a>(parts: &mut Self::Parts<'a>) -> Option<Inputs<'a>>;

    /// The payload as the union that plain hooks receive.
    fn inputs(payload: Self::Payload<'_>) -> Inputs<'_>;

    /// The payload of this event in the union; `None` when it is another event's.
    fn payload(inputs: Inputs<'_>) -> Option<Self::Payload<'_>>;
}

/// What the rails of an event may decide beside "continue". Each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Allows {
    /// Nothing: they observe.
    Nothing,
    /// To abort.
    Abort,
    /// To skip and to abort.
    Skip,
    /// To retry, to skip and to abort.
    Retry,
}

/// Events whose rails may abort the run.
pub trait AllowsAbort: Payloads {}

/// Events whose rails may also skip the operation.
pub trait AllowsSkip: AllowsAbort {}

/// Events whose rails may also have the operation done again.
pub trait AllowsRetry: AllowsSkip {}

/// Types that a skip may put in the place of what the operation of event `E` yields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand in for the result of the operation at `{E}`",
    label = "not what the operation yields",
    note = "a skip brings an `InvokeOutput` at `Start`, a `ModelResponse` at `PreLlmCall` and `LlmError`, a `ToolOutput` at `PreToolCall` and `ToolError`, a `CompactionOutput` at `PreCompaction`, a `RecalledMemory` at `MemoryRecalled`, at a custom event what its `substitute` says, and nothing elsewhere"
)]
pub trait SubstituteFor<E: Payloads>: Send {
    /// The substitute as the event has it.
    fn into_substitute(self) -> E::Substitute;
}

impl<E: Payloads> SubstituteFor<E> for NoSubstitute {
    fn into_substitute(self) -> E::Substitute {
        match self {}
    }
}

/// Any event, for what is chosen at run time: the payload is the union [`Inputs`], and which event it is
/// stands in it. Plain hooks serve it.
#[derive(Clone, Copy, Debug)]
pub struct AnyEvent;

/// A substitute of which only its maker knows the type, from a plain hook.
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

// What a hook decides is held against the event when it runs: see `HookManager`.
impl AllowsAbort for AnyEvent {}
impl AllowsSkip for AnyEvent {}
impl AllowsRetry for AnyEvent {}
