//! The name of the tool of a call.

use std::borrow::Cow;

use exo_rails_text::spelling::{is_plain, readings};

/// The name of a tool in a call, as patterns see it. It is read once for all patterns.
///
/// ```
/// use exo_rails_policy::ToolName;
///
/// let name = ToolName::new("Delete_\u{200b}File");
/// assert_eq!(name.readings, ["delete_file"]);
/// ```
#[derive(Debug)]
pub struct ToolName<'c> {
    pub(crate) text: &'c str,
    /// The name in all the ways in which people can read it: see [`readings`].
    pub readings: Vec<Cow<'c, str>>,
    /// Whether the name is what it looks like, so that a glob may allow it.
    pub(crate) is_plain: bool,
}

impl<'c> ToolName<'c> {
    /// Reads a name.
    #[must_use]
    pub fn new(text: &'c str) -> Self {
        Self { text, readings: readings(text), is_plain: is_plain_name(text) }
    }
}

/// Returns whether a name is what it looks like.
pub(crate) fn is_plain_name(text: &str) -> bool {
    !text.is_empty() && is_plain(text) && !text.contains(char::is_whitespace)
}
