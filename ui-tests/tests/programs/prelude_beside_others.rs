//! The prelude beside other names that are usual: `std::error::Error`, `std::io`, a `Result` alias.

#![deny(warnings, dead_code)]

use std::error::Error;
use std::io::{self, Result};

use exo_rails::prelude::*;

fn boxed(error: io::Error) -> Box<dyn Error + Send + Sync> {
    error.into()
}

#[rail(on = [exo_rails::events::Error])]
async fn observe(error: &RunError) -> Result<()> {
    println!("{error}");
    Ok(())
}

#[rail(on = [PreToolCall])]
async fn guard() -> std::result::Result<Verdict, Box<dyn Error + Send + Sync>> {
    Err(boxed(io::Error::other("no store")))
}

#[test]
fn compiles_and_runs() {
    let _ = rail_chain![observe, guard];
}
