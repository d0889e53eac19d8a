//! Programs with the agent that must not compile, with the message that the user reads.

use std::process::ExitCode;

fn main() -> ExitCode {
    ui_tests::run(env!("CARGO_MANIFEST_DIR"), ui_tests::rustc_args!())
}
