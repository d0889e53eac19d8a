//! Runs fixtures: programs with one mistake, each with the message of rustc that a user reads.
//!
//! Each fixture is a test. A program is compiled with the crates that Cargo has built for the test program, so no crate is
//! built again for the fixtures.

mod compiler;
mod folder;
mod message;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};
pub use rustc_args::rustc_args;

pub use crate::compiler::{Compiler, Diagnostic};

/// Declares modules that are programs, and a test for each. The test runs `main`.
///
/// ```text
/// ui_tests::programs!(answers_are_streamed, tools_share_a_store);
/// ```
#[macro_export]
macro_rules! programs {
    ($($program:ident),* $(,)?) => {
        $(mod $program;)*

        $(
            #[test]
            fn $program() {
                std::process::Termination::report($program::main());
            }
        )*
    };
}

/// Runs the fixtures in the folder `fail` of a package, with the arguments of [`rustc_args!`].
#[must_use]
pub fn run(package: &'static str, args: &'static [&'static str]) -> ExitCode {
    let package = Path::new(package);
    let programs = match folder::programs(package) {
        Ok(programs) => programs,
        Err(strays) => {
            eprintln!("error: these files are at the wrong depth, or are messages without a program: {strays:#?}");
            return ExitCode::FAILURE;
        }
    };
    let compiler = match Compiler::new(args) {
        Ok(compiler) => Arc::new(compiler),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let trial = |program: PathBuf| {
        let (name, compiler) = (program.with_extension("").display().to_string(), Arc::clone(&compiler));
        Trial::test(name, move || check(package, &program, &compiler))
    };
    libtest_mimic::run(&Arguments::from_args(), programs.into_iter().map(trial).collect()).exit_code()
}

/// Compares the message with the recorded one.
///
/// # Errors
/// The program compiles, or the message is another one.
fn check(package: &Path, program: &Path, compiler: &Compiler) -> Result<(), Failed> {
    let diagnostics = compiler.check(&package.join(program))?;
    if !diagnostics.iter().any(Diagnostic::is_error) {
        return Err("this program compiles".into());
    }
    let said = message::recorded(&diagnostics, package, program);
    let file = package.join(program).with_extension("stderr");
    if env::var_os("UI_TESTS").is_some_and(|value| value == "overwrite") {
        return Ok(fs::write(file, said)?);
    }
    let recorded = fs::read_to_string(&file).unwrap_or_default();
    if said == recorded {
        return Ok(());
    }
    Err(format!("the recorded message is:\n\n{recorded}\nThe compiler says:\n\n{said}").into())
}
