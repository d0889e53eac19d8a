//! One mistake in a file.

use std::fmt;

use super::Place;

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
