//! How the expansion names the library.

use proc_macro2::TokenStream;
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

impl ToTokens for Library {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match &self.0 {
            Some(path) => path.to_tokens(tokens),
            None => tokens.extend(quote!(::exo_rails)),
        }
    }
}

/// The events that every chain serves.
pub(crate) const EVENTS: [&str; 9] =
    ["Start", "PreLlmCall", "PostLlmCall", "LlmError", "PreToolCall", "PostToolCall", "ToolError", "Finished", "Error"];
