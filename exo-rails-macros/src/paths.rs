//! How the expansion names the library.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::Path;

/// The path of the library: `::exo_rails`, or what the user gives as `crate = path`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Library(Option<Path>);

impl Library {
    pub(crate) const fn at(path: Path) -> Self {
        Self(Some(path))
    }
}

/// The tokens at the place of a span; what they mean stays as it is.
pub(crate) fn located(tokens: impl ToTokens, span: Span) -> TokenStream {
    let moved = |mut token: TokenTree| {
        token.set_span(token.span().located_at(span));
        token
    };
    tokens.into_token_stream().into_iter().map(moved).collect()
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
pub(crate) const PAYLOADS: [&str; 8] = [
    "InvokeInputs",
    "ModelCallInputs",
    "ModelResponse",
    "ToolCallInputs",
    "ToolOutput",
    "InvokeOutput",
    "OperationError",
    "RunError",
];

/// The events that every chain serves.
pub(crate) const EVENTS: [&str; 9] =
    ["Start", "PreLlmCall", "PostLlmCall", "LlmError", "PreToolCall", "PostToolCall", "ToolError", "Finished", "Error"];
