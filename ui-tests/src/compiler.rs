//! Compiles a program with the crates that Cargo has built.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// Checks programs with the dependencies of a test program.
#[derive(Debug)]
pub struct Compiler {
    rustc: PathBuf,
    args: &'static [&'static str],
    /// The metadata of programs without errors.
    out: TempDir,
}

/// A warning or an error.
#[derive(Clone, Debug)]
pub struct Diagnostic(Value);

impl Compiler {
    /// Finds rustc. The arguments are those of [`rustc_args!`](crate::rustc_args!).
    ///
    /// # Errors
    /// rustc does not run, or no temporary folder can be made.
    pub fn new(args: &'static [&'static str]) -> io::Result<Self> {
        // The `rustc` in the path may be the one of rustup, which needs time to find the other one.
        let output = Command::new("rustc").args(["--print", "sysroot"]).output()?;
        let rustc = Path::new(String::from_utf8_lossy(&output.stdout).trim()).join("bin/rustc");
        Ok(Self { rustc, args, out: tempfile::tempdir()? })
    }

    /// Checks a program. Returns everything that rustc says about it.
    ///
    /// # Errors
    /// rustc does not run.
    pub fn check(&self, program: &Path) -> io::Result<Vec<Diagnostic>> {
        self.diagnose(program, &mut Command::new(&self.rustc))
    }

    /// Checks a program as a part of the package `desk` in a folder, whose `Cargo.toml` the macros read.
    ///
    /// # Errors
    /// rustc does not run.
    pub fn check_in(&self, package: &Path, program: &Path) -> io::Result<Vec<Diagnostic>> {
        let rustc = &mut Command::new(&self.rustc);
        rustc.env("CARGO_MANIFEST_DIR", package).env("CARGO_MANIFEST_PATH", package.join("Cargo.toml"));
        self.diagnose(program, rustc.env("CARGO_PKG_NAME", "desk"))
    }

    fn diagnose(&self, program: &Path, rustc: &mut Command) -> io::Result<Vec<Diagnostic>> {
        // Two programs of one name must not share it.
        let cache = tempfile::tempdir_in(&self.out)?;
        let mut incremental = OsString::from("-Cincremental=");
        incremental.push(cache.path());
        let output = rustc
            .current_dir(workspace())
            .arg(program)
            .args(self.args)
            .args(["--crate-type=bin", "--emit=metadata", "--error-format=json", "--diagnostic-width=140", "--verbose"])
            // A fixture shows one mistake, and is not a useful program.
            .args(["--allow=dead_code"])
            // Then rustc knows that Cargo is in use, and proposes it.
            .env("CARGO_CRATE_NAME", "fixture")
            .arg("--out-dir")
            .arg(self.out.path())
            // Cargo compiles the program of a user incrementally, and rustc then says equal errors once. Otherwise it says each
            // of them.
            .arg(incremental)
            .output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<_> = stderr.lines().collect();
        let mut diagnostics = Vec::new();
        for line in lines {
            diagnostics.push(Diagnostic(serde_json::from_str(line).map_err(|_| io::Error::other(line.to_owned()))?));
        }
        // The last ones count the errors.
        diagnostics.retain(|diagnostic| !diagnostic.is_summary());
        Ok(diagnostics)
    }
}

/// The root of the workspace. Cargo compiles its crates from there, so messages name their files from there.
fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

impl Diagnostic {
    /// Whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.0["level"] == "error"
    }

    /// The code of the error: (e.g. `E0277`).
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.0["code"]["code"].as_str()
    }

    /// The message as rustc prints it.
    #[must_use]
    pub fn rendered(&self) -> &str {
        self.0["rendered"].as_str().unwrap_or_default()
    }

    fn is_summary(&self) -> bool {
        self.0["level"] == "failure-note" || self.rendered().starts_with("error: aborting due to ")
    }
}
