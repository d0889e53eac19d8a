//! Checks an audit log: `cargo run --example audit_verify -- audit.jsonl [--key KEY] [--head HEAD] [--open] [--later]`.
//!
//! `KEY` is the public key, and `HEAD` the last line that somebody noted. `--open` accepts a log whose writer is at work, and
//! `--later` a log whose first files were archived.

use std::error::Error;
use std::process::ExitCode;

use exo_rails_audit::{Verified, Verify};

fn main() -> ExitCode {
    match check() {
        Ok(verified) => {
            println!("{verified:#?}");
            println!("head: {}", verified.head);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn check() -> Result<Verified, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut verify, mut log) = (Verify::new(), None);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("write a value after `{argument}`"));
        match argument.as_str() {
            "--key" => verify = verify.key(value()?.parse()?),
            "--head" => verify = verify.expect(value()?.parse()?),
            "--open" => verify = verify.may_be_open(),
            "--later" => verify = verify.may_begin_later(),
            path => log = Some(path.to_owned()),
        }
    }
    let log = log.ok_or("write the path of a log")?;
    Ok(verify.log(log)?)
}
