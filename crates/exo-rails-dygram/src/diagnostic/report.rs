//! The report that collects mistakes.

use std::error::Error;
use std::fmt;

use super::mistake::{Diagnostic, Severity};
use super::{Location, Sources, render};

/// The mistakes of a file and of the files that it imports, with the texts of these files.
///
/// The printed report shows the lines of the files. A report is an [`Error`], so a program can return it.
///
/// ```
/// let report = exo_rails_dygram::read("flow.dygram", "machine \"Flow\" @StrictMode\nTask plan;\nplan -> done;").report;
/// assert!(report.has_errors());
/// let text = report.to_string();
/// assert!(text.contains("flow.dygram:3:9"));
/// assert!(text.contains("plan -> done;"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Report {
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// Makes a report. The mistakes are sorted by their places.
    #[must_use]
    pub fn new(sources: Sources, mut diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.sort_by_key(|found| (found.place.file, found.place.span.start, found.place.span.end));
        Self { sources, diagnostics }
    }

    /// Returns all mistakes, in the order of the text.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the mistakes that are errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|found| found.severity == Severity::Error)
    }

    /// Returns whether there is an error, so that the machine cannot be used.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// Returns the texts of the files.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Returns the file, the line and the column of a mistake of this report.
    #[must_use]
    pub fn locate(&self, found: &Diagnostic) -> Location {
        self.sources.locate(found.place)
    }

    /// Adds mistakes that another crate has found.
    pub fn extend(&mut self, found: impl IntoIterator<Item = Diagnostic>) {
        let sources = std::mem::take(&mut self.sources);
        let diagnostics = std::mem::take(&mut self.diagnostics);
        *self = Self::new(sources, diagnostics.into_iter().chain(found).collect());
    }

    /// Prints the report with colours, for a terminal.
    #[must_use]
    pub fn to_coloured(&self) -> String {
        render::all(&self.sources, &self.diagnostics, true)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render::all(&self.sources, &self.diagnostics, false))
    }
}

impl Error for Report {}
