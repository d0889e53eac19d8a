//! Kinds of arrows.

use std::fmt;

/// The kind of an arrow.
///
/// Only [`Arrow::Single`] describes the flow of control. The other arrows describe data and relations between nodes.
///
/// ```
/// use exo_rails_dygram::Arrow;
///
/// let machine = exo_rails_dygram::read("flow.dygram", "raw => clean;").machine;
/// assert_eq!(machine.edges()[0].arrow, Arrow::Fat);
/// assert_eq!(Arrow::Fat.to_string(), "=>");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arrow {
    /// `->`: a transition, or access to a context.
    #[default]
    Single,
    /// `-->`: data flows, or a node depends on another one.
    Double,
    /// `=>`: data is transformed.
    Fat,
    /// `<-->`: a relation in both directions.
    Both,
    /// `<|--`: the target inherits from the source.
    Inherit,
    /// `*-->`: the source owns the target.
    Compose,
    /// `o-->`: the source has the target.
    Aggregate,
}

impl Arrow {
    /// Returns the arrow without a label.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Single => "->",
            Self::Double => "-->",
            Self::Fat => "=>",
            Self::Both => "<-->",
            Self::Inherit => "<|--",
            Self::Compose => "*-->",
            Self::Aggregate => "o-->",
        }
    }

    /// Returns the text that comes before a label, such as the first `-` in `-label->`. Returns `None` for arrows that cannot
    /// have a label. The arrow `<-->` is special: it can have one word in it.
    #[must_use]
    pub const fn label_start(self) -> Option<&'static str> {
        match self {
            Self::Single => Some("-"),
            Self::Double => Some("--"),
            Self::Fat => Some("="),
            Self::Both | Self::Inherit | Self::Compose | Self::Aggregate => None,
        }
    }
}

impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
