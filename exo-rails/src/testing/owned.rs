//! Payloads that a test can hold.

use std::fmt::Debug;

use crate::error::{OperationError, RunError};
use crate::event::{
    Error, Event, Finished, LlmChunk, LlmError, PostCompaction, PostLlmCall, PostToolCall, PreCompaction, PreLlmCall,
    PreToolCall, SessionEnd, SessionStart, Start, ToolError,
};
use crate::message::{
    CompactionInputs, CompactionOutput, InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse, SessionInfo,
    StreamWindow, ToolCallInputs, ToolOutput,
};

/// An event whose payload a test can make and hold.
///
/// All [events](crate::events) are: `ToolCallInputs` at `PreToolCall`, and a pair where there are two parts,
/// `(ToolCallInputs, ToolOutput)` at `PostToolCall`. For one of your own, implement it:
///
/// ```
/// use exo_rails::testing::{self, OwnedPayload};
/// use exo_rails::{Event, prelude::*};
///
/// #[derive(Debug)]
/// struct Memories(Vec<String>);
///
/// #[derive(Event)]
/// #[event(payload = &mut Memories, allows = "skip")]
/// struct MemoriesRecalled;
///
/// impl OwnedPayload for MemoriesRecalled {
///     type Owned = Memories;
///
///     fn lend(memories: &mut Memories) -> &mut Memories {
///         memories
///     }
/// }
///
/// #[rail(on = [MemoriesRecalled])]
/// fn shorten(memories: &mut Memories) {
///     memories.0.truncate(1);
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let rails = rail_chain![#[chain(events = [MemoriesRecalled])] shorten];
/// let recalled = testing::at::<MemoriesRecalled>(&rails, Memories(vec!["Ada".into(), "Bo".into()])).await;
/// assert_eq!(recalled.assert_continued().payload.0, ["Ada"]);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what a test holds as its payload",
    label = "no `OwnedPayload`",
    note = "all events of the library do; implement `exo_rails::testing::OwnedPayload` for one of your own"
)]
pub trait OwnedPayload: Event {
    /// The parts of the payload.
    type Owned: Debug + Send;

    /// Lends them to the rails.
    fn lend(owned: &mut Self::Owned) -> Self::Payload<'_>;
}

macro_rules! owned {
    ($($event:ident($first:ident: $one:ty $(, $second:ident: $two:ty)?) => $lent:expr;)*) => {$(
        impl OwnedPayload for $event {
            type Owned = owned!(@type $one $(, $two)?);

            fn lend(owned: &mut Self::Owned) -> Self::Payload<'_> {
                let owned!(@pattern $first $(, $second)?) = owned;
                $lent
            }
        }
    )*};
    (@type $one:ty) => { $one };
    (@type $one:ty, $two:ty) => { ($one, $two) };
    (@pattern $first:ident) => { $first };
    (@pattern $first:ident, $second:ident) => { ($first, $second) };
}

owned! {
    SessionStart(session: SessionInfo) => session;
    Start(run: InvokeInputs) => run;
    PreCompaction(history: CompactionInputs) => history;
    PostCompaction(history: CompactionInputs, output: CompactionOutput) => (history, output);
    PreLlmCall(call: ModelCallInputs) => call;
    LlmChunk(call: ModelCallInputs, window: StreamWindow) => (call, window);
    PostLlmCall(call: ModelCallInputs, response: ModelResponse) => (call, response);
    LlmError(call: ModelCallInputs, error: OperationError) => (call, error);
    PreToolCall(call: ToolCallInputs) => call;
    PostToolCall(call: ToolCallInputs, output: ToolOutput) => (call, output);
    ToolError(call: ToolCallInputs, error: OperationError) => (call, error);
    Finished(run: InvokeInputs, output: InvokeOutput) => (run, output);
    Error(run: InvokeInputs, error: RunError) => (run, error);
    SessionEnd(session: SessionInfo) => session;
}
