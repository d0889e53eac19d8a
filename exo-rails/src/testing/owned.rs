//! Payloads that a test can hold.

use std::fmt::Debug;

use crate::error::{OperationError, RunError};
use crate::event::{
    Dropped, Error, Event, Finished, LlmChunk, LlmError, PostCompaction, PostLlmCall, PostToolCall, PreCompaction,
    PreLlmCall, PreToolCall, SessionEnd, SessionStart, Start, ToolError,
};
use crate::message::{
    CompactionInputs, CompactionOutput, DroppedInputs, InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse,
    SessionInfo, StreamWindow, ToolCallInputs, ToolOutput,
};
use crate::point::event_table;

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
    note = "all events of the library do; implement `exo_rails::testing::OwnedPayload` for a custom event"
)]
pub trait OwnedPayload: Event {
    /// The parts of the payload.
    type Owned: Debug + Send;

    /// Lends them to the rails.
    fn lend(owned: &mut Self::Owned) -> Self::Payload<'_>;
}

macro_rules! owned {
    ($(
        $(#[$doc:meta])*
        $event:ident = $number:literal $name:literal $when:ident
            ($mode0:ident $part0:ident: $type0:ty $(, $mode1:ident $part1:ident: $type1:ty)?) -> $substitute:ident,
            allows $allows:ident;
    )*) => {$(
        impl OwnedPayload for $event {
            type Owned = owned!(@type $type0 $(, $type1)?);

            fn lend(owned: &mut Self::Owned) -> Self::Payload<'_> {
                let owned!(@tuple $part0 $(, $part1)?) = owned;
                owned!(@tuple $part0 $(, $part1)?)
            }
        }
    )*};
    (@type $one:ty) => { $one };
    (@type $one:ty, $two:ty) => { ($one, $two) };
    (@tuple $first:ident) => { $first };
    (@tuple $first:ident, $second:ident) => { ($first, $second) };
}

event_table!(owned);
