//! Why the program ends without success.

use std::path::Path;
use std::process::ExitCode;

use exo_rails_dygram::Report;
use exo_rails_guards::approval::visible;

/// Why a command failed. The code of the program says which kind it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A file has mistakes. They are printed already.
    #[error("{errors} in {files}", errors = counted(*errors, "error"))]
    Mistakes { files: String, errors: usize },
    /// Files are not formatted.
    #[error("not formatted: {}; `exo-rails machine fmt` formats them", files.join(", "))]
    NotFormatted { files: Vec<String> },
    /// The machine stopped before its end.
    #[error("{0}")]
    Stopped(String),
    /// The machine waits for a person.
    #[error("{0}")]
    Waits(String),
    /// An option or a file cannot be used.
    #[error("{0}")]
    Usage(String),
}

impl Failure {
    /// Makes a failure about a file.
    pub(crate) fn of_file(path: &Path, error: impl std::fmt::Display) -> Self {
        Self::Usage(format!("{}: {error}", path.display()))
    }

    /// Makes the failure of a file with mistakes.
    pub(crate) fn mistakes(file: &str, report: &Report) -> Self {
        Self::Mistakes { files: format!("`{file}`"), errors: report.errors().count() }
    }

    /// Prints the failure, and returns the code of the program.
    pub(crate) fn report(&self) -> ExitCode {
        let red = anstyle::AnsiColor::Red.on_default().bold();
        anstream::eprintln!("{red}error:{red:#} {}", shown_lines(&self.to_string()));
        ExitCode::from(match self {
            Self::Mistakes { .. } | Self::NotFormatted { .. } | Self::Stopped(_) => 1,
            Self::Usage(_) => 2,
            Self::Waits(_) => 3,
        })
    }
}

/// Shows the characters of a message that would change a terminal. Models and files choose parts of messages.
pub(crate) fn shown_lines(message: &str) -> String {
    message.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// Returns a number with its noun.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
