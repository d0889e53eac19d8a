//! Runs the programs of the examples in their tests.
//!
//! Each package of examples has this file as its library, because Cargo requires a library or a program in each package.

use std::env::{self, consts};
use std::io;
use std::path::PathBuf;
use std::process::Command;

/// Returns the program of an example. Cargo builds the examples of a package before it runs the tests of the package.
///
/// With `cargo test --test NAME`, Cargo builds no examples. The test then runs the program of the last build.
///
/// # Errors
///
/// Returns an error if the program does not exist.
pub fn program(example: &str) -> io::Result<PathBuf> {
    // The tests are in `deps`, beside `examples`.
    let test = env::current_exe()?;
    let profile = test.ancestors().nth(2).ok_or(io::ErrorKind::NotFound)?;
    let program = profile.join("examples").join(example).with_extension(consts::EXE_EXTENSION);
    if program.is_file() {
        return Ok(program);
    }
    let (path, package) = (program.display(), env!("CARGO_PKG_NAME"));
    let missing = format!(
        "the example `{example}` is not built: there is no {path}. Run `cargo build -p {package} --examples`, or all tests \
         of the package: `cargo test -p {package}`"
    );
    Err(io::Error::new(io::ErrorKind::NotFound, missing))
}

/// Returns a command that runs an example in the directory of its package.
///
/// # Errors
///
/// The errors of [`program`].
pub fn command(example: &str) -> io::Result<Command> {
    let mut command = Command::new(program(example)?);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    Ok(command)
}
