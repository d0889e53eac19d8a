//! A location in source code.

use std::fmt;
use std::hash::Hash;
use std::panic::Location;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::text;

/// A location in source code: where a rail or a [provided value](trait@crate::Provided) is declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    place: &'static Location<'static>,
    module: &'static &'static str,
}

impl SourceLocation {
    /// Returns the location of the call, for the macros. They give the call the span of a token of the user, so the result
    /// is the location of this token.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn here(module: &'static &'static str) -> Self {
        Self { place: Location::caller(), module }
    }

    /// The path of the file, as the compiler received it.
    #[must_use]
    pub const fn file(&self) -> &'static str {
        self.place.file()
    }

    /// The line, counted from 1.
    #[must_use]
    pub const fn line(&self) -> u32 {
        self.place.line()
    }

    /// The column, counted from 1.
    #[must_use]
    pub const fn column(&self) -> u32 {
        self.place.column()
    }

    /// The module. It distinguishes items that one call of a macro declares in several modules.
    #[must_use]
    pub const fn module(&self) -> &'static str {
        self.module
    }

    pub(crate) const fn same(&self, other: &Self) -> bool {
        self.line() == other.line()
            && self.column() == other.column()
            && text::same(self.file(), other.file())
            && text::same(self.module, other.module)
    }
}

impl fmt::Debug for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} in {:?}", self.module)
    }
}

impl Serialize for SourceLocation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("SourceLocation", 4)?;
        fields.serialize_field("file", self.file())?;
        fields.serialize_field("line", &self.line())?;
        fields.serialize_field("column", &self.column())?;
        fields.serialize_field("module", self.module)?;
        fields.end()
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file(), self.line(), self.column())
    }
}
