//! A canary: secrets in everything that a rail redacts or refuses. Afterwards, no eight bytes of them in a row are in any place
//! where somebody could read them.
//!
//! A run is drawn from a seed: what the model, the tools and the memory say, in which pieces an answer comes, whether the first
//! rail redacts or refuses at each event, what another rail decides, the guard set, and when the run is cancelled or dropped.
//! `rails.rs` has the rail that the documentation promises to be enough.
//!
//! Another canary, `live_model/canary.rs`, is about the keys of model servers.

mod plan;
mod rails;
#[path = "../soak/random.rs"]
mod random;
mod runs;
mod sinks;
mod world;

use std::collections::BTreeSet;
use std::env;
use std::panic;
use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};

use plan::Plan;
use sinks::{SINKS, Sinks};

/// How many seeds are drawn when `EXO_RAILS_CANARY_SEEDS` does not say it.
const SEEDS: u64 = 1000;

fn seeds() -> u64 {
    let given = env::var("EXO_RAILS_CANARY_SEEDS").ok();
    given.map_or(SEEDS, |text| text.parse().expect("EXO_RAILS_CANARY_SEEDS is a number"))
}

fn runtime() -> Runtime {
    // The time stands still, so that nobody waits for it.
    Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// Panics of rails and tools are on purpose.
fn be_quiet_about_panics_on_purpose() {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !info.payload_as_str().is_some_and(|text| text.starts_with(rails::ON_PURPOSE)) {
            hook(info);
        }
    }));
}

fn played(plan: Plan) -> (Arc<Plan>, Arc<Sinks>) {
    let (plan, sinks) = (Arc::new(plan), Arc::new(Sinks::default()));
    sinks::LOG.take();
    runtime().block_on(runs::play(&plan, &sinks));
    sinks.add("log", sinks::LOG.take());
    (plan, sinks)
}

#[test]
fn no_sink_has_eight_bytes_of_a_secret() {
    sinks::collect_logs();
    be_quiet_about_panics_on_purpose();
    for seed in 0..seeds() {
        let (plan, sinks) = played(Plan::draw(seed));
        if let Some((sink, leak)) = sinks.leak(&plan.secrets) {
            panic!("seed {seed}, {sink}: {leak}\n{plan:?}");
        }
    }
}

/// What the test above finds when nothing is redacted: it looks at the right places.
#[test]
fn every_sink_has_secrets_without_the_rail() {
    sinks::collect_logs();
    be_quiet_about_panics_on_purpose();
    let mut found = BTreeSet::new();
    let mut secrets = BTreeSet::new();
    for seed in 0..300 {
        let (plan, sinks) = played(Plan { is_off: true, ..Plan::draw(seed) });
        found.extend(sinks.leaking(&plan.secrets));
        secrets.extend(sinks.leaked(&plan.secrets));
    }
    assert_eq!(found.into_iter().collect::<Vec<_>>(), SINKS);
    // No rail can redact the errors of a memory, so they are in no place.
    let names = plan::NAMES.iter().copied().filter(|name| *name != "memory error");
    assert_eq!(secrets.into_iter().collect::<Vec<_>>(), names.collect::<Vec<_>>());
}
