//! What the program prints.

use std::collections::{BTreeMap, BTreeSet};

use exo_rails::{EventBus, Mode};
use tokio::task::JoinHandle;

use crate::harm::Harm;

/// One attack, or the honest work.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) without: Harm,
    pub(crate) with: Harm,
    pub(crate) refusals: BTreeSet<String>,
}

/// Collects the guard and the rule of each finding.
pub(crate) struct Refusals(JoinHandle<BTreeSet<String>>);

impl Refusals {
    pub(crate) fn watch(bus: &EventBus) -> Self {
        let mut records = bus.subscribe();
        Self(tokio::spawn(async move {
            let mut seen = BTreeSet::new();
            while let Some(record) = records.recv().await {
                let Ok(record) = record else { continue };
                if record.emitted.as_deref().is_some_and(|name| name.ends_with("finding")) {
                    let finding = &record.payload["data"];
                    let part = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
                    seen.insert(format!("{}/{}", part("guard"), part("rule")));
                }
            }
            seen
        }))
    }

    /// Waits for the last record. All handles to the bus must have been dropped.
    pub(crate) async fn end(self) -> BTreeSet<String> {
        self.0.await.unwrap_or_default()
    }
}

/// Prints a table of the attacks, and the honest work.
pub(crate) fn print(mode: Mode, rows: &[Row], work: &Row) {
    let (with, refused) =
        if mode == Mode::Shadow { ("in shadow", "would be refused by") } else { ("with the kit", "refused by") };
    println!("{:45}{:45}{:45}{refused}", "attack or mishap", "harm without guards", format!("harm {with}"));
    for row in rows {
        println!("{:45}{:45}{:45}{}", row.name, shown(&row.without), shown(&row.with), row.rules());
    }
    let total = |harm: fn(&Row) -> &Harm| rows.iter().map(|row| harm(row).done.len()).sum::<usize>();
    println!();
    println!("harm without guards: {}", total(|row| &row.without));
    println!("harm {with}: {}", total(|row| &row.with));
    let all = &work.without.work;
    println!("honest work without guards: {} of {}", all.len(), all.len());
    println!("honest work {with}: {} of {}", work.with.work.len(), all.len());
    for missing in all.iter().filter(|done| !work.with.work.contains(done)) {
        println!("not done: {missing} ({})", work.rules());
    }
    if let Some(error) = &work.with.error {
        println!("the run failed: {error}");
    }
}

/// Prints the attacks that only one guard stops.
pub(crate) fn print_needed(needed: &BTreeMap<String, Vec<String>>) {
    println!("{:20}attacks and mishaps that do harm without this guard alone", "guard");
    for (guard, attacks) in needed {
        println!("{guard:20}{}", if attacks.is_empty() { "-".to_owned() } else { attacks.join("; ") });
    }
}

impl Row {
    fn rules(&self) -> String {
        self.refusals.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

fn shown(harm: &Harm) -> String {
    if harm.done.is_empty() { "-".to_owned() } else { harm.done.join(", ") }
}
