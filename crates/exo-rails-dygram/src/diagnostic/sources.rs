//! The texts of files, and lines and columns in them.

use std::fmt;

use super::{FileId, Place};

/// The files of a machine: the main file, and the files that it imports.
///
/// ```
/// use exo_rails_dygram::{Place, Sources, Span};
///
/// let mut sources = Sources::new();
/// let file = sources.add("flow.dygram", "State idle;\nTask plan;");
/// let location = sources.locate(Place::new(file, Span::new(17, 21)));
/// assert_eq!(location.to_string(), "flow.dygram:2:6");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

#[derive(Clone, Debug)]
struct SourceFile {
    name: String,
    text: String,
    /// The first byte of each line.
    lines: Vec<usize>,
}

/// A line and a column in a file. Both begin at 1. The column counts characters, and a tab is one character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Sources {
    /// Makes an empty collection of files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file with its name and its text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let (name, text) = (name.into(), text.into());
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        self.files.push(SourceFile { name, text, lines });
        FileId(self.files.len() - 1)
    }

    /// Returns the name of a file. It is empty if the file is not in this collection.
    #[must_use]
    pub fn name(&self, file: FileId) -> &str {
        self.files.get(file.0).map_or("", |file| &file.name)
    }

    /// Returns the text of a file. It is empty if the file is not in this collection.
    #[must_use]
    pub fn text(&self, file: FileId) -> &str {
        self.files.get(file.0).map_or("", |file| &file.text)
    }

    /// Returns the line and the column at which a place begins.
    ///
    /// A place outside the file counts as the end of the file.
    #[must_use]
    pub fn locate(&self, place: Place) -> Location {
        let name = self.name(place.file).to_owned();
        let Some(file) = self.files.get(place.file.0) else { return Location { file: name, line: 1, column: 1 } };
        let at = place.span.start.min(file.text.len());
        let line = file.lines.partition_point(|start| *start <= at).max(1);
        let start = file.lines.get(line - 1).copied().unwrap_or_default();
        let column = file.text.get(start..at).map_or(1, |before| before.chars().count() + 1);
        Location { file: name, line, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Span;

    #[test]
    fn lines_and_columns_count_characters() {
        let cases = [
            ("abc", 2, (1, 3)),
            ("a\r\nbc", 4, (2, 2)),
            ("\t\tx", 2, (1, 3)),
            ("äöü x", "äöü ".len(), (1, 5)),
            ("a\n", 2, (2, 1)),
            ("", 0, (1, 1)),
            ("ab", 99, (1, 3)),
        ];
        for (text, at, (line, column)) in cases {
            let mut sources = Sources::new();
            let file = sources.add("f", text);
            let location = sources.locate(Place::new(file, Span::new(at, at)));
            assert_eq!((location.line, location.column), (line, column), "{text:?} at {at}");
        }
    }
}
