//! The name of a rail.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of a rail, as in decisions, faults and records.
///
/// A `RailName` derefs to `str`, and is compared, displayed and serialized like a `str`. Cloning never copies the text: the
/// name of a rail in a chain is a constant, and a name that the program makes at run time is shared.
///
/// ```
/// use exo_rails::RailName;
///
/// let constant = RailName::new("block_dangerous");
/// let shared = RailName::from(format!("limit of {}", "search"));
/// assert_eq!(constant, "block_dangerous");
/// assert_eq!(shared.len(), 15);
/// ```
#[derive(Clone)]
pub struct RailName(Text);

#[derive(Clone)]
enum Text {
    Static(&'static str),
    Shared(Arc<str>),
}

impl RailName {
    /// Creates a name from a constant.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(Text::Static(name))
    }

    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Static(name) => name,
            Text::Shared(name) => name,
        }
    }
}

impl Deref for RailName {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for RailName {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for RailName {
    fn borrow(&self) -> &str {
        self
    }
}

/// What can be the name of a rail. It is implemented for each type that converts into a [`RailName`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the name of a rail",
    label = "not a name",
    note = "the name is a text, and comes before the rail: `manager.add_named(\"strict\", block_dangerous {{}})`"
)]
pub trait IntoRailName {
    /// Returns the name.
    fn into_rail_name(self) -> RailName;
}

#[diagnostic::do_not_recommend]
impl<T: Into<RailName>> IntoRailName for T {
    fn into_rail_name(self) -> RailName {
        self.into()
    }
}

impl From<&'static str> for RailName {
    fn from(name: &'static str) -> Self {
        Self::new(name)
    }
}

impl From<String> for RailName {
    fn from(name: String) -> Self {
        Self(Text::Shared(name.into()))
    }
}

impl From<Arc<str>> for RailName {
    fn from(name: Arc<str>) -> Self {
        Self(Text::Shared(name))
    }
}

impl PartialEq for RailName {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for RailName {}

impl PartialEq<str> for RailName {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for RailName {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl PartialEq<String> for RailName {
    fn eq(&self, other: &String) -> bool {
        **self == **other
    }
}

impl PartialEq<RailName> for str {
    fn eq(&self, other: &RailName) -> bool {
        *self == **other
    }
}

impl PartialEq<RailName> for &str {
    fn eq(&self, other: &RailName) -> bool {
        **self == **other
    }
}

impl PartialOrd for RailName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RailName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other)
    }
}

impl Hash for RailName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for RailName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for RailName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl Serialize for RailName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for RailName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}
