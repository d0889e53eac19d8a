//! Reads files, with all checks.

use crate::check::{check, check_all_but_flow};
use crate::diagnostic::{Report, Severity};
use crate::lower::{LoadError, Loader, NoImports, lower};
use crate::model::Machine;

/// Reads a text that imports nothing.
///
/// The result has a machine even if there are errors. The machine then contains only what could be read. So check the report
/// before you use the machine, or call [`Reading::into_result`].
///
/// ```
/// let reading = exo_rails_dygram::read("flow.dygram", "Task plan { prompt: \"Plan\"; } State done; plan -> done;");
/// assert!(reading.report.diagnostics().is_empty(), "{}", reading.report);
/// assert_eq!(reading.machine.nodes().len(), 2);
/// ```
#[must_use]
pub fn read(name: &str, text: &str) -> Reading {
    Reader::new().read(name, text)
}

/// The machine in a file, and the report of its mistakes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reading {
    /// The machine.
    pub machine: Machine,
    /// The mistakes, with the texts of all files.
    pub report: Report,
    /// Whether the file was read in strict mode, in which most warnings are errors.
    pub is_strict: bool,
}

impl Reading {
    /// Returns the machine if the report has no errors. The warnings are dropped.
    ///
    /// # Errors
    ///
    /// If the report has errors.
    ///
    /// ```
    /// let machine = exo_rails_dygram::read("flow.dygram", "State idle;").into_result()?;
    /// assert_eq!(machine.nodes().len(), 1);
    /// # Ok::<(), exo_rails_dygram::Report>(())
    /// ```
    pub fn into_result(self) -> Result<Machine, Report> {
        if self.report.has_errors() { Err(self.report) } else { Ok(self.machine) }
    }
}

/// Reads files, with settings.
///
/// ```
/// use exo_rails_dygram::Reader;
///
/// let text = "Task plan; plan -> done;";
/// assert!(!Reader::new().read("flow.dygram", text).report.has_errors());
/// assert!(Reader::new().strict().read("flow.dygram", text).report.has_errors());
/// ```
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    loader: &'a dyn Loader,
    is_strict: bool,
}

impl Default for Reader<'_> {
    fn default() -> Self {
        Self { loader: &NoImports, is_strict: false }
    }
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("is_strict", &self.is_strict).finish_non_exhaustive()
    }
}

impl<'a> Reader<'a> {
    /// Makes a reader that is lenient and does not follow imports.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Loads imported files with `loader`.
    #[must_use]
    pub fn with_loader(self, loader: &'a dyn Loader) -> Self {
        Self { loader, ..self }
    }

    /// Reads every file as if it had `@StrictMode`: nodes must be declared, and most warnings are errors.
    #[must_use]
    pub fn strict(self) -> Self {
        Self { is_strict: true, ..self }
    }

    /// Reads a text. Reports use `name` as the name of the file. Imports are relative to it.
    #[must_use]
    pub fn read(&self, name: &str, text: &str) -> Reading {
        let mut lowered = lower(name, text, self.loader, self.is_strict);
        // What is missing after a mistake would be reported as further mistakes.
        let is_whole =
            !lowered.diagnostics.iter().any(|found| found.code == "syntax" || found.code.starts_with("import-"));
        let has_nodes = !lowered.diagnostics.iter().any(|found| found.severity == Severity::Error);
        if is_whole {
            let check = if has_nodes { check } else { check_all_but_flow };
            lowered.diagnostics.extend(check(&lowered.machine, lowered.is_strict));
        } else {
            lowered.diagnostics.retain(|found| found.code != "unknown-node");
        }
        let report = Report::new(lowered.sources, lowered.diagnostics);
        Reading { machine: lowered.machine, report, is_strict: lowered.is_strict }
    }

    /// Loads and reads a file.
    ///
    /// # Errors
    ///
    /// If the loader cannot load the file.
    pub fn read_file(&self, name: &str) -> Result<Reading, LoadError> {
        let text = self.loader.load(name)?;
        Ok(self.read(name, &text))
    }
}
