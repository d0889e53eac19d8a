//! How the expansion names the library.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Path;

/// The path of the library: `::exo_rails`, or what the user gives as `crate = path`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Library(Option<Path>);

impl Library {
    pub(crate) const fn at(path: Path) -> Self {
        Self(Some(path))
    }

    /// The path at the place of a span, so that an expression which begins with it is there as a whole. What
    /// the user gives keeps its place: it can be wrong.
    pub(crate) fn located(&self, span: Span) -> TokenStream {
        self.0.as_ref().map_or_else(|| quote_spanned!(span=> ::exo_rails), ToTokens::to_token_stream)
    }

    /// Whether the user has given it.
    pub(crate) const fn is_given(&self) -> bool {
        self.0.is_some()
    }
}

impl ToTokens for Library {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match &self.0 {
            Some(path) => path.to_tokens(tokens),
            None => tokens.extend(quote!(::exo_rails)),
        }
    }
}

/// What events carry, for those who name it instead of the event.
pub(crate) const PAYLOADS: [&str; 13] = [
    "InvokeInputs",
    "ModelCallInputs",
    "ModelResponse",
    "ToolCallInputs",
    "ToolOutput",
    "InvokeOutput",
    "OperationError",
    "RunError",
    "SessionInfo",
    "CompactionInputs",
    "CompactionOutput",
    "StreamWindow",
    "DroppedInputs",
];

/// The events that every chain serves, in the order in which a session reaches them.
pub(crate) const EVENTS: [&str; 15] = [
    "SessionStart",
    "Start",
    "PreCompaction",
    "PostCompaction",
    "PreLlmCall",
    "LlmChunk",
    "PostLlmCall",
    "LlmError",
    "PreToolCall",
    "PostToolCall",
    "ToolError",
    "Finished",
    "Error",
    "SessionEnd",
    "Dropped",
];

/// Those that come before an operation, or after none.
pub(crate) const BEFORE: [&str; 9] = [
    "SessionStart",
    "Start",
    "PreCompaction",
    "PostCompaction",
    "PreLlmCall",
    "LlmChunk",
    "PreToolCall",
    "SessionEnd",
    "Dropped",
];

/// Those on which few rails are. A chain has room for [`FEW`] rails at each, because a step costs the compiler the same
/// whether a rail takes it or not; a chain that names the event has room for all of its rails.
pub(crate) const RARE: [&str; 6] =
    ["SessionStart", "PreCompaction", "PostCompaction", "LlmChunk", "SessionEnd", "Dropped"];

/// The steps of a rare event.
pub(crate) const FEW: usize = 8;
