//! The name of the tool of a call.

use std::borrow::Cow;

use super::spelling::{folded, is_plain};

/// The name of a tool in a call, as patterns see it.
#[derive(Debug)]
pub(crate) struct ToolName<'c> {
    pub(super) text: &'c str,
    /// The [folded](folded) names.
    pub(crate) readings: Vec<Cow<'c, str>>,
    /// Whether the name is what it looks like, so that a glob may allow it.
    pub(super) is_plain: bool,
}

impl<'c> ToolName<'c> {
    pub(crate) fn new(text: &'c str) -> Self {
        let is_plain = !text.is_empty() && is_plain(text) && !text.contains(char::is_whitespace);
        Self { text, readings: folded(text), is_plain }
    }
}
