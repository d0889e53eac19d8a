//! Builds an example and runs it as a user does.

use std::io;
use std::path::PathBuf;
use std::process::Command;

/// Builds an example. Returns its program.
///
/// It is built with the features of the whole workspace, so that the tests of the workspace do not build it twice.
pub(crate) fn program(example: &str) -> io::Result<PathBuf> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let build = ["build", "--quiet", "--workspace", "--example", example];
    let output = Command::new(cargo).args(build).current_dir(env!("CARGO_MANIFEST_DIR")).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr)));
    }
    // The tests are in `deps`, beside `examples`.
    let test = std::env::current_exe()?;
    let profile = test.ancestors().nth(2).ok_or(io::ErrorKind::NotFound)?;
    Ok(profile.join("examples").join(example).with_extension(std::env::consts::EXE_EXTENSION))
}

/// Returns a command that runs an example in the directory of the examples.
#[allow(dead_code, reason = "a test of a pseudo-terminal starts the program itself")]
pub(crate) fn command(example: &str) -> io::Result<Command> {
    let mut command = Command::new(program(example)?);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    Ok(command)
}
