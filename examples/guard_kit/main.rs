//! All guards of `exo-rails-guards` against attacks and mishaps.
//!
//! ```sh
//! cargo run --example guard_kit
//! ```
//!
//! A scripted model makes each attack of `attacks.json` twice: once without guards, and once with the guards of `kit.toml`.
//! The tools check nothing. After each run, the program counts the harm from outside: it compares the hashes of files, and
//! looks at the requests that reached two servers, and at the ledger of the shop. Then it does the same with the honest work
//! of `work.json`, which the guards must not disturb.
//!
//! ```sh
//! cargo run --example guard_kit -- --shadow
//! ```
//!
//! With `--shadow`, the guards only report. The harm happens, and the program prints what the guards would have refused.
//!
//! All files are in a temporary directory, which the program removes. The servers listen on the loopback only.

mod desk;
mod harm;
mod report;
mod scripts;
mod servers;
mod shop;
mod tools;

use std::collections::BTreeSet;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use exo_rails::{EventBus, GuardSet, Mode, NoRails};
use exo_rails_agent::Agent;
use exo_rails_guards::Kit;
use exo_rails_guards::kit::KitConfig;

use crate::desk::Desk;
use crate::harm::Harm;
use crate::report::{Refusals, Row};
use crate::scripts::Script;
use crate::servers::Servers;
use crate::shop::Shop;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const KIT: &str = include_str!("kit.toml");

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mode = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Mode::Enforce,
        ["--shadow"] => Mode::Shadow,
        _ => {
            eprintln!("The only option is `--shadow`.");
            return ExitCode::from(2);
        }
    };
    match run_all(mode).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run_all(mode: Mode) -> Result<()> {
    let servers = Servers::start().await?;
    let mut rows = Vec::new();
    for attack in scripts::attacks()? {
        rows.push(row(&attack, &servers, mode).await?);
    }
    let work = row(&scripts::work()?, &servers, mode).await?;
    report::print(mode, &rows, &work);
    Ok(())
}

/// Runs a script without guards and with them.
async fn row(script: &Script, servers: &Servers, mode: Mode) -> Result<Row> {
    let (without, _) = run(script, servers, |_| Ok(NoRails)).await?;
    let (with, refusals) = run(script, servers, |shop| kit(shop, servers, mode)).await?;
    Ok(Row { name: script.name.clone(), without, with, refusals })
}

/// Makes the guards of `kit.toml`.
fn kit(shop: &Shop, servers: &Servers, mode: Mode) -> Result<Kit> {
    let text = shop.fill(KIT, servers);
    let mut config: KitConfig = exo_rails_guards::config::from_toml(&text)?;
    config.mode = mode;
    Ok(Kit::builder().asker(Arc::new(Desk)).known_tools(tools::NAMES).build(config)?)
}

/// Runs a script in a new shop, and counts the harm.
async fn run<R: GuardSet + 'static>(
    script: &Script,
    servers: &Servers,
    rails: impl FnOnce(&Shop) -> Result<R>,
) -> Result<(Harm, BTreeSet<String>)> {
    let shop = Shop::new()?;
    servers.forget_requests();
    let bus = EventBus::new(256);
    let refusals = Refusals::watch(&bus);
    let agent = Agent::builder("shop", script.model(&shop, servers)?)
        .tools(tools::all(&shop))
        .rails(bus.wrap(rails(&shop)?))
        .max_steps(20)
        .build();
    let result = agent.run("Do the work of the day.").await;
    drop(agent);
    let harm = Harm::count(&shop, servers, result, script)?;
    Ok((harm, refusals.end(bus).await))
}
