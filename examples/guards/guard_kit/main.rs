//! All guards of `exo-rails-guards` against attacks and mishaps.
//!
//! ```sh
//! cargo run -p examples-guards --example guard_kit
//! ```
//!
//! A scripted model makes each attack of `attacks.json` twice: once without guards, and once with the guards of `kit.toml`.
//! The tools check nothing. After each run, the program counts the harm from outside: it compares the hashes of files, and
//! looks at the requests that reached servers, at the ledger of the shop, at the bill of the model's provider, and at the answer.
//! After a run with guards, it checks the audit log: the log is whole and has no secret, and changes of it are found. Then the
//! program does the same with the honest work of `work.json`, which the guards must not disturb.
//!
//! ```sh
//! cargo run -p examples-guards --example guard_kit -- --shadow
//! ```
//!
//! With `--shadow`, the guards only report. The harm happens, and the program prints what the guards would have refused. Guards
//! around operations and the fallback do and report nothing in shadow, and the audit log has no shadow.
//!
//! ```sh
//! cargo run -p examples-guards --example guard_kit -- --without-each
//! ```
//!
//! With `--without-each`, the program repeats each attack with all guards but one of those that refused it. It prints which
//! attacks then do harm: only that guard stops them.
//!
//! All files are in a temporary directory, which the program removes. The servers listen on the loopback only.

mod desk;
mod guards;
mod harm;
mod log;
mod report;
mod scripts;
mod servers;
mod shop;
mod tools;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use exo_rails::{GuardSet, InvokeOutput, Mode, NoRails};
use exo_rails_agent::{Agent, FailedRun, RunEvent};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::guards::Setup;
use crate::harm::Harm;
use crate::report::{Refusals, Row};
use crate::scripts::{Bill, Script, ShopModel};
use crate::servers::Servers;
use crate::shop::Shop;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A run that takes longer hangs. Runs that work at the same time share a thread, so it is much more than a run needs.
const LONGEST_RUN: Duration = Duration::from_secs(8);

/// How many attacks run at the same time. Many of them wait most of the time.
const AT_ONCE: usize = 8;

/// How a run has ended.
pub(crate) struct Ended {
    /// `None` if it has not ended in time.
    run: Option<std::result::Result<InvokeOutput, FailedRun>>,
    /// The bytes of the answer that somebody has read while it arrived.
    shown: usize,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => run_all(Mode::Enforce).await,
        ["--shadow"] => run_all(Mode::Shadow).await,
        ["--without-each"] => run_without_each().await,
        _ => {
            eprintln!("The options are `--shadow` and `--without-each`.");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run_all(mode: Mode) -> Result<()> {
    let attacks = scripts::attacks()?;
    let rows: Vec<Row> = stream::iter(&attacks).map(|attack| row(attack, mode)).buffered(AT_ONCE).try_collect().await?;
    let work = row(&scripts::work()?, mode).await?;
    report::print(mode, &rows, &work);
    Ok(())
}

/// Runs a script without guards and with them.
async fn row(script: &Script, mode: Mode) -> Result<Row> {
    let without = run_alone(script).await?;
    let (with, refusals) = run(script, Setup { mode, without: None }).await?;
    Ok(Row { name: script.name.clone(), without, with, refusals })
}

/// Runs each attack without each of the guards that refuse it.
async fn run_without_each() -> Result<()> {
    let attacks = scripts::attacks()?;
    let mut needed: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut attacks = stream::iter(&attacks).map(without_each).buffered(AT_ONCE);
    while let Some((attack, guards)) = attacks.try_next().await? {
        for (guard, does_harm) in guards {
            let needed = needed.entry(guard).or_default();
            if does_harm {
                needed.push(attack.name.clone());
            }
        }
    }
    report::print_needed(&needed);
    Ok(())
}

/// Runs an attack without each of the guards that refuse it. Says for each guard whether the attack then does harm.
async fn without_each(attack: &Script) -> Result<(&Script, Vec<(String, bool)>)> {
    let (_, refusals) = run(attack, Setup { mode: Mode::Enforce, without: None }).await?;
    let guards: BTreeSet<&str> = refusals.iter().filter_map(|rule| rule.split('/').next()).collect();
    let mut harms = Vec::new();
    for guard in guards {
        let setup = Setup { mode: Mode::Enforce, without: Some(guard) };
        let harm = if guard == "audit" { run_alone(attack).await? } else { run(attack, setup).await?.0 };
        harms.push((guard.to_owned(), !harm.done.is_empty()));
    }
    Ok((attack, harms))
}

/// Runs a script with guards in a new shop, and counts the harm.
async fn run(script: &Script, setup: Setup<'_>) -> Result<(Harm, BTreeSet<String>)> {
    let (shop, servers) = (Shop::new()?, Servers::start().await?);
    let rails = setup.guards(&shop, &servers)?;
    let audit = rails.audit().clone();
    let refusals = Refusals::watch(audit.bus());
    let mut harm = run_in(&shop, script, &servers, rails).await?;
    let head = audit.close().await?;
    drop(audit);
    let mut refusals = refusals.end().await;
    if setup.mode == Mode::Enforce || script.tampers.is_some() {
        let found = harm.log(&shop, Some(head), script)?;
        refusals.extend(found.map(|problem| format!("audit/{problem}")));
    }
    Ok((harm, refusals))
}

/// Runs a script without guards in a new shop, and counts the harm.
async fn run_alone(script: &Script) -> Result<Harm> {
    let (shop, servers) = (Shop::new()?, Servers::start().await?);
    let mut harm = run_in(&shop, script, &servers, NoRails).await?;
    harm.log(&shop, None, script)?;
    Ok(harm)
}

async fn run_in<R: GuardSet + 'static>(shop: &Shop, script: &Script, servers: &Servers, rails: R) -> Result<Harm> {
    let bill = Arc::<Bill>::default();
    let agent = Agent::builder("shop", script.model(shop, servers, &bill)?)
        .instructions(scripts::INSTRUCTIONS)
        .tools(tools::all(shop, servers))
        .rails(rails)
        .max_steps(20)
        .build();
    let ended = end(&agent, script).await;
    drop(agent);
    let mut harm = Harm::count(shop, servers, &ended, script)?;
    harm.bill(&bill);
    Ok(harm)
}

/// Runs the agent to the end of its run, or until the run has taken too long.
async fn end<R: GuardSet>(agent: &Agent<ShopModel, R>, script: &Script) -> Ended {
    let input = "Do the work of the day.";
    if !script.streamed {
        return Ended { run: tokio::time::timeout(LONGEST_RUN, agent.run(input)).await.ok(), shown: 0 };
    }
    let (mut events, mut shown) = (agent.stream(input), 0);
    while let Some(event) = events.next().await {
        match event {
            Ok(RunEvent::Text(text)) => shown += text.len(),
            Ok(RunEvent::Finished(output)) => return Ended { run: Some(Ok(*output)), shown },
            Ok(_) => {}
            Err(error) => return Ended { run: Some(Err(error)), shown },
        }
    }
    Ended { run: None, shown }
}
