//! Places in files.

/// The number of a file in [`Sources`](super::Sources).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub(super) usize);

/// A range of bytes in a text. `start` is the first byte, and `end` is the byte after the last one.
///
/// ```
/// use exo_rails_dygram::Span;
///
/// let span = Span::new(5, 9);
/// assert_eq!(span.of("Task plan;"), "plan");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

impl Span {
    /// Makes a span from its first byte and the byte after its last one.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the span from the start of this one to the end of `other`.
    ///
    /// ```
    /// use exo_rails_dygram::Span;
    ///
    /// assert_eq!(Span::new(1, 3).to(Span::new(6, 9)), Span::new(1, 9));
    /// ```
    #[must_use]
    pub const fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end }
    }

    /// Returns the text in this span. It is empty if the span is not in `text`.
    #[must_use]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A span in one of several files.
///
/// All places are equal to each other. So two machines are equal if they have the same contents, even if the contents are at
/// different places in their files.
///
/// ```
/// use exo_rails_dygram::Place;
///
/// let somewhere = exo_rails_dygram::read("a.dygram", "Task plan; plan -> done; State done;").machine;
/// let elsewhere = exo_rails_dygram::read("b.dygram", "Task plan;\nplan -> done;\nState done;").machine;
/// assert_eq!(somewhere, elsewhere);
/// assert_eq!(somewhere.nodes()[0].place, Place::default());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The bytes in the file.
    pub span: Span,
}

impl Place {
    /// Makes a place from a file and a span in it.
    #[must_use]
    pub const fn new(file: FileId, span: Span) -> Self {
        Self { file, span }
    }
}

impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Place {}
