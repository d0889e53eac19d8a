//! Measures what the guards catch, what they let through, and how often they are wrong on benign work.
//!
//! ```console
//! $ cargo run -q --release -p benchmarks --features guards --bin guard_figures -- --corpora DIR
//! ```
//!
//! `DIR` has a checkout of each corpus, in a folder with the name of its repository. The program prints a table for each
//! guard, with the folders that it reads.

mod paths;
mod shape;
mod urls;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let corpora = corpora()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    paths::measure(&corpora)?;
    runtime.block_on(shape::measure(&corpora))?;
    runtime.block_on(urls::measure(&corpora))
}

/// Reads the command line.
fn corpora() -> Result<PathBuf, Box<dyn Error>> {
    let mut parser = lexopt::Parser::from_env();
    let mut corpora = None;
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Long("corpora") => corpora = Some(PathBuf::from(parser.value()?)),
            other => return Err(other.unexpected().into()),
        }
    }
    corpora.ok_or_else(|| "write `--corpora DIR`".into())
}
