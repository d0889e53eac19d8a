//! Mistakes, and the reports that collect them.

use std::error::Error;
use std::fmt;

use super::{Location, Place, Sources, render};

/// How bad a mistake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The machine can be used, but the text probably does not say what the author means.
    Warning,
    /// The machine cannot be used.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// One mistake in a file.
///
/// ```
/// use exo_rails_dygram::Severity;
///
/// let report = exo_rails_dygram::read("flow.dygram", "Task plan { prompt: };").report;
/// let mistake = &report.diagnostics()[0];
/// assert_eq!((mistake.code, mistake.severity), ("syntax", Severity::Error));
/// assert_eq!(report.locate(mistake).column, 21);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// A short name for the kind of mistake, such as `unknown-node`. It does not change between versions.
    pub code: &'static str,
    /// How bad the mistake is.
    pub severity: Severity,
    /// Where the mistake is.
    pub place: Place,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// Other places that belong to the mistake, such as a first declaration. Each has a text that says what is there.
    pub related: Vec<(Place, String)>,
}

impl Diagnostic {
    /// Makes an error with its code, its place and its message.
    ///
    /// ```
    /// use exo_rails_dygram::{Diagnostic, Place, Severity};
    ///
    /// let mistake = Diagnostic::error("unknown-tool", Place::default(), "no tool is called `serach`")
    ///     .with_help("write `search`");
    /// assert_eq!(mistake.severity, Severity::Error);
    /// ```
    pub fn error(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, place, message)
    }

    /// Makes a warning with its code, its place and its message.
    pub fn warning(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, place, message)
    }

    /// Makes a mistake with the given severity.
    pub fn new(severity: Severity, code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self { code, severity, place, message: message.into(), help: None, related: Vec::new() }
    }

    /// Adds what to write instead.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a place that belongs to the mistake, and a text that says what is there.
    #[must_use]
    pub fn with_related(mut self, place: Place, what: impl Into<String>) -> Self {
        self.related.push((place, what.into()));
        self
    }
}

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
