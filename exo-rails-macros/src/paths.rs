//! How the expansion names the library.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, parse_quote_spanned};

use crate::manifest;

/// The path of the library: what the user gives as `crate = path`, or else the name that the package has for it.
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

    /// The path at the place of a span, so that an expression which begins with it is there as a whole. What
    /// the user gives keeps its place: it can be wrong.
    pub(crate) fn located(&self, span: Span) -> TokenStream {
        let name = Ident::new(self.name, span);
        self.given.as_ref().map_or_else(|| quote_spanned!(span=> ::#name), ToTokens::to_token_stream)
    }

    /// An event by its path: `Error` alone is that of the library.
    pub(crate) fn event(&self, event: &Path) -> Path {
        if event.is_ident("Error") { parse_quote_spanned!(event.span()=> #self::events::#event) } else { event.clone() }
    }

    /// Whether the user has given it.
    pub(crate) const fn is_given(&self) -> bool {
        self.given.is_some()
    }
}

impl ToTokens for Library {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.located(Span::call_site()));
    }
}

/// What events carry, for those who name it instead of the event.
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

/// Those that come before an operation, or after none.
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

/// Those on which few rails are. A chain has [`FEW`] steps at each, because a step costs the compiler the same whether a rail
/// takes it or not. Where there are more rails, each is looked up by its place.
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

/// The steps of a rare event.
pub(crate) const FEW: usize = 8;

/// The operations of the library, which every chain guards.
pub(crate) const OPERATIONS: [&str; 4] = ["Run", "LlmCall", "ToolCall", "Compaction"];
