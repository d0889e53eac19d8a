//! The reason of a decision.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason why a rail skipped, retried or aborted. A reason is never empty.
///
/// The reason explains the decision to the developer who reads the log, and to the model that reads the output of a skipped
/// tool call. So a rail cannot skip, retry or abort without a reason. If the text is blank, [`Reason::BLANK`] replaces it.
///
/// A reason from a literal allocates nothing.
///
/// ```
/// use exo_rails::Reason;
///
/// assert_eq!(Reason::new("over budget").as_str(), "over budget");
/// assert_eq!(Reason::from(format!("{} tokens", 9)).as_str(), "9 tokens");
/// assert_eq!(Reason::new("  ").as_str(), Reason::BLANK);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Reason(Cow<'static, str>);

impl Reason {
    /// The text that replaces a blank reason.
    pub const BLANK: &'static str = "the rail gave a blank reason";

    /// Creates a reason with this text. If the text is blank, the reason is [`Reason::BLANK`].
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        let text = text.into();
        if text.trim().is_empty() { Self(Cow::Borrowed(Self::BLANK)) } else { Self(text) }
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&'static str> for Reason {
    fn from(text: &'static str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&String> for Reason {
    fn from(text: &String) -> Self {
        Self::new(text.clone())
    }
}

impl From<Cow<'static, str>> for Reason {
    fn from(text: Cow<'static, str>) -> Self {
        Self::new(text)
    }
}

impl PartialEq<str> for Reason {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Reason {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

/// Types that convert into a [`Reason`]. The functions that make a decision take them.
#[diagnostic::on_unimplemented(
    message = "a reason is a literal or a `String`, not `{Self}`",
    label = "not a reason",
    note = "copy a borrowed text: write `text.clone()` or `text.to_string()`",
    note = "to make a text of a value, write `format!(\"the limit is {{limit}}\")`"
)]
pub trait IntoReason {
    /// Converts into a reason.
    fn into_reason(self) -> Reason;
}

#[diagnostic::do_not_recommend]
impl<T: Into<Reason>> IntoReason for T {
    fn into_reason(self) -> Reason {
        self.into()
    }
}
