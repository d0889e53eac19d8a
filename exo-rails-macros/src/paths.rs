//! Names the library in the expansion.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, parse_quote_spanned};

use crate::manifest;

/// The path of the library: the path in `crate = path`, or the name under which the package depends on the library.
#[derive(Clone, Debug)]
pub(crate) struct Library {
    given: Option<Path>,
    name: &'static str,
}

impl Default for Library {
    fn default() -> Self {
        Self { given: None, name: manifest::library_name() }
    }
}

impl Library {
    pub(crate) fn at(path: Path) -> Self {
        Self { given: Some(path), ..Self::default() }
    }

    /// Returns the path with this span, so that an expression that begins with the path has one span. A path that the
    /// user gives keeps its span, because it can be wrong.
    pub(crate) fn located(&self, span: Span) -> TokenStream {
        let name = Ident::new(self.name, span);
        self.given.as_ref().map_or_else(|| quote_spanned!(span=> ::#name), ToTokens::to_token_stream)
    }

    /// Returns an event by its path. `Error` alone means the event of the library.
    pub(crate) fn event(&self, event: &Path) -> Path {
        if event.is_ident("Error") { parse_quote_spanned!(event.span()=> #self::events::#event) } else { event.clone() }
    }

    /// Returns `true` if the user has given the path.
    pub(crate) const fn is_given(&self) -> bool {
        self.given.is_some()
    }
}

impl ToTokens for Library {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.located(Span::call_site()));
    }
}

/// The payloads of the events. A user may name a payload instead of its event.
pub(crate) const PAYLOADS: [&str; 18] = [
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
    "ContextInputs",
    "MemoryEntry",
    "MemoryQuery",
    "RecalledMemory",
    "StreamWindow",
    "OpenQuestion",
    "DroppedInputs",
];

/// The events that every chain serves, in the order in which a session reaches them.
pub(crate) const EVENTS: [&str; 20] = [
    "SessionStart",
    "Start",
    "MemoryRecalled",
    "ContextAssembled",
    "PreCompaction",
    "PostCompaction",
    "ContextOverflow",
    "PreLlmCall",
    "LlmChunk",
    "PostLlmCall",
    "LlmError",
    "PreToolCall",
    "PostToolCall",
    "ToolError",
    "Finished",
    "MemoryStored",
    "Error",
    "Suspended",
    "SessionEnd",
    "Dropped",
];

/// The events before an operation, and the events without an operation.
pub(crate) const BEFORE: [&str; 13] = [
    "SessionStart",
    "Start",
    "MemoryRecalled",
    "ContextAssembled",
    "PreCompaction",
    "PostCompaction",
    "ContextOverflow",
    "PreLlmCall",
    "LlmChunk",
    "PreToolCall",
    "MemoryStored",
    "SessionEnd",
    "Dropped",
];

/// The events on which chains have few rails. A chain has [`FEW`] steps at each of these events, because each step costs
/// the compiler time even if no rail takes it. If an event has more rails, the chain looks up each rail by its place.
pub(crate) const RARE: [&str; 11] = [
    "SessionStart",
    "MemoryRecalled",
    "ContextAssembled",
    "PreCompaction",
    "PostCompaction",
    "ContextOverflow",
    "LlmChunk",
    "MemoryStored",
    "Suspended",
    "SessionEnd",
    "Dropped",
];

/// The number of steps of a rare event.
pub(crate) const FEW: usize = 8;

/// The operations of the library, which every chain guards.
pub(crate) const OPERATIONS: [&str; 4] = ["Run", "LlmCall", "ToolCall", "Compaction"];
