//! Random operations: every store does what a naive model does.

use std::collections::HashMap;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;

use super::bench::{Bench, Fixture, test};
use crate::{Claim, Expected, MAX_AMOUNT, Reservation, StateStore, Version, Write};

/// The unit of all times: five minutes. A store recognizes a second settlement for two units after the expiry.
const UNIT: Duration = Duration::from_mins(5);
const GRACE: u64 = 2;

const KEYS: [&str; 3] = ["a", "a/b", "ü ~"];

#[derive(Clone, Debug)]
enum Operation {
    Advance(u64),
    Get(&'static str),
    Set {
        key: &'static str,
        expected: Wanted,
        put: Option<(Vec<u8>, Option<u64>)>,
    },
    Reserve {
        claims: Vec<(&'static str, u64, u64, Option<u64>)>,
        hold: u64,
    },
    /// Settles one of the reservations until now, with these amounts.
    Settle {
        which: prop::sample::Index,
        used: [u64; 3],
    },
    Counter(&'static str),
    Append {
        key: &'static str,
        entry: Vec<u8>,
        keep: usize,
        expires: Option<u64>,
    },
    Entries(&'static str),
}

/// The expected record of a write.
#[derive(Clone, Debug)]
enum Wanted {
    Absent,
    Any,
    /// The version of this write until now.
    Write(prop::sample::Index),
    Newest,
}

fn operation() -> impl Strategy<Value = Operation> {
    let key = || select(&KEYS[..]);
    let time = || 0..6_u64;
    let window = || prop::option::of(1..6_u64);
    let amount = || prop_oneof![8 => 0..7_u64, 1 => Just(MAX_AMOUNT - 3), 1 => Just(u64::MAX)];
    let limit = || prop_oneof![8 => 3..12_u64, 1 => Just(u64::MAX)];
    let bytes = || vec(any::<u8>(), 0..5);
    let wanted = prop_oneof![
        Just(Wanted::Absent),
        Just(Wanted::Any),
        any::<prop::sample::Index>().prop_map(Wanted::Write),
        Just(Wanted::Newest),
    ];
    prop_oneof![
        3 => time().prop_map(Operation::Advance),
        2 => key().prop_map(Operation::Get),
        4 => (key(), wanted, prop::option::weighted(0.8, (bytes(), window())))
            .prop_map(|(key, expected, put)| Operation::Set { key, expected, put }),
        6 => (vec((key(), amount(), limit(), window()), 0..4), time())
            .prop_map(|(claims, hold)| Operation::Reserve { claims, hold }),
        5 => (any::<prop::sample::Index>(), [amount(), amount(), amount()])
            .prop_map(|(which, used)| Operation::Settle { which, used }),
        3 => key().prop_map(Operation::Counter),
        3 => (key(), bytes(), 0..4_usize, window())
            .prop_map(|(key, entry, keep, expires)| Operation::Append { key, entry, keep, expires }),
        2 => key().prop_map(Operation::Entries),
    ]
}

/// The naive model: it keeps everything, and looks at the time when it answers.
#[derive(Default)]
struct Model {
    now: u64,
    records: HashMap<&'static str, ModelRecord>,
    /// The versions of the store, for each write of the model.
    versions: Vec<Version>,
    held: Vec<ModelHeld>,
    used: HashMap<&'static str, (u64, Option<u64>)>,
    logs: HashMap<&'static str, ModelLog>,
}

#[derive(Clone)]
struct ModelRecord {
    value: Vec<u8>,
    write: usize,
    written: u64,
    expires: Option<u64>,
}

struct ModelHeld {
    claims: Vec<(&'static str, u64, Option<u64>)>,
    expires: u64,
    settled: bool,
    reservation: Reservation,
}

#[derive(Default)]
struct ModelLog {
    next: u64,
    entries: Vec<(u64, u64, Vec<u8>)>,
    expires: Option<u64>,
}

fn is_over(at: Option<u64>, now: u64) -> bool {
    at.is_some_and(|at| at <= now)
}

/// The nearest number of units. The clocks of some stores do not stop.
fn units(duration: Duration) -> u64 {
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap();
    (millis(duration) + millis(UNIT) / 2) / millis(UNIT)
}

fn time(units: u64) -> Duration {
    UNIT * u32::try_from(units).unwrap()
}

impl Model {
    fn record(&self, key: &str) -> Option<ModelRecord> {
        self.records.get(key).filter(|record| !is_over(record.expires, self.now)).cloned()
    }

    fn used(&self, key: &str, now: u64) -> (u64, Option<u64>) {
        let (used, resets) = self.used.get(key).copied().unwrap_or_default();
        if is_over(resets, now) { (0, None) } else { (used, resets) }
    }

    fn reserved(&self, key: &str, now: u64) -> u64 {
        let live = self.held.iter().filter(|held| !held.settled && held.expires > now);
        live.flat_map(|held| &held.claims).filter(|claim| claim.0 == key).map(|claim| claim.1).sum()
    }

    /// The time until a claim has room: tries every time.
    fn retry_after(&self, key: &str, amount: u64, limit: u64) -> Option<u64> {
        (0..20).find(|wait| {
            let now = self.now + wait;
            u128::from(self.used(key, now).0) + u128::from(self.reserved(key, now)) + u128::from(amount)
                <= u128::from(limit.min(MAX_AMOUNT))
        })
    }

    async fn step(&mut self, bench: &mut Bench<impl Fixture>, operation: Operation) {
        match operation {
            Operation::Advance(by) => {
                bench.advance(time(by)).await;
                self.now += by;
            }
            Operation::Get(key) => {
                let found = bench.store.get(key).await.unwrap();
                let found = found.map(|found| (found.value, found.version, units(found.age)));
                let expected = self.record(key);
                let expected =
                    expected.map(|record| (record.value, self.versions[record.write], self.now - record.written));
                assert_eq!(found, expected, "the record `{key}`");
            }
            Operation::Set { key, expected, put } => self.set(bench, key, expected, put).await,
            Operation::Reserve { claims, hold } => self.reserve(bench, &claims, hold).await,
            Operation::Settle { which, used } if !self.held.is_empty() => {
                let index = which.index(self.held.len());
                self.settle(bench, index, &used).await;
            }
            Operation::Settle { .. } => {}
            Operation::Counter(key) => {
                let counter = bench.store.counter(key).await.unwrap();
                let (used, resets) = self.used(key, self.now);
                let expected = (used, self.reserved(key, self.now), resets.map(|at| at - self.now));
                assert_eq!((counter.used, counter.reserved, counter.resets_in.map(units)), expected, "counter `{key}`");
            }
            Operation::Append { key, entry, keep, expires } => {
                let number = bench.store.append(key, &entry, keep, expires.map(time)).await.unwrap();
                let now = self.now;
                let log = self.logs.entry(key).or_default();
                if is_over(log.expires, now) {
                    *log = ModelLog::default();
                }
                assert_eq!(number, log.next);
                log.entries.push((log.next, now, entry));
                log.entries = log.entries.split_off(log.entries.len().saturating_sub(keep.max(1)));
                log.next += 1;
                log.expires = expires.map(|expires| now + expires);
            }
            Operation::Entries(key) => {
                let entries = bench.store.entries(key).await.unwrap();
                let entries: Vec<_> =
                    entries.into_iter().map(|entry| (entry.number, self.now - units(entry.age), entry.value)).collect();
                let log = self.logs.get(key).filter(|log| !is_over(log.expires, self.now));
                assert_eq!(entries, log.map(|log| log.entries.clone()).unwrap_or_default(), "the log `{key}`");
            }
        }
    }

    async fn set(
        &mut self,
        bench: &Bench<impl Fixture>,
        key: &'static str,
        wanted: Wanted,
        put: Option<(Vec<u8>, Option<u64>)>,
    ) {
        let found = self.record(key);
        let written = match wanted {
            Wanted::Write(which) if !self.versions.is_empty() => Some(which.index(self.versions.len())),
            Wanted::Newest => found.as_ref().map(|found| found.write),
            _ => None,
        };
        let expected = match (&wanted, written) {
            (Wanted::Any, _) => Expected::Any,
            (_, None) => Expected::Absent,
            (_, Some(write)) => Expected::Version(self.versions[write]),
        };
        let succeeds = match expected {
            Expected::Any => true,
            Expected::Absent => found.is_none(),
            Expected::Version(_) => found.as_ref().map(|found| found.write) == written,
        };
        let write = put.as_ref().map_or(Write::Remove, |(value, expires)| Write::Put(value, expires.map(time)));
        match bench.store.compare_and_set(key, expected, write).await.unwrap() {
            Ok(version) => {
                assert!(succeeds, "a write of `{key}` succeeded, but another record was expected");
                assert!(!self.versions.contains(&version), "{version:?} was there before");
                self.versions.push(version);
                let (write, written) = (self.versions.len() - 1, self.now);
                self.records.remove(key);
                if let Some((value, expires)) = put {
                    let expires = expires.map(|expires| self.now + expires);
                    self.records.insert(key, ModelRecord { value, write, written, expires });
                }
            }
            Err(conflict) => {
                assert!(!succeeds, "a write of `{key}` failed, but its record was the expected one");
                let conflict = conflict.found.map(|found| (found.value, found.version));
                assert_eq!(conflict, found.map(|found| (found.value, self.versions[found.write])));
            }
        }
    }

    async fn reserve(
        &mut self,
        bench: &Bench<impl Fixture>,
        claims: &[(&'static str, u64, u64, Option<u64>)],
        hold: u64,
    ) {
        let wanted: Vec<Claim<'_>> = claims
            .iter()
            .map(|&(key, amount, limit, window)| Claim { key, amount, limit, window: window.map(time) })
            .collect();
        let mut sums = HashMap::<&str, u128>::new();
        let refused = claims.iter().position(|(key, amount, limit, _)| {
            let sum = sums.entry(key).or_default();
            *sum += u128::from(*amount);
            let (used, _) = self.used(key, self.now);
            *sum + u128::from(used) + u128::from(self.reserved(key, self.now)) > u128::from((*limit).min(MAX_AMOUNT))
        });
        match (bench.store.reserve(&wanted, time(hold)).await.unwrap(), refused) {
            (Ok(reservation), None) => {
                let claims = claims.iter().map(|(key, amount, _, window)| (*key, *amount, *window)).collect();
                let expires = self.now + hold;
                self.held.push(ModelHeld { claims, expires, settled: false, reservation });
            }
            (Err(over_limit), Some(index)) => {
                let (key, amount, limit, _) = claims[index];
                assert_eq!(over_limit.claim, index);
                assert_eq!(over_limit.counter.used, self.used(key, self.now).0);
                assert_eq!(over_limit.counter.reserved, self.reserved(key, self.now));
                let earlier = claims[..index].iter().filter(|claim| claim.0 == key).map(|claim| claim.1).sum::<u64>();
                let amount = amount.saturating_add(earlier);
                assert_eq!(over_limit.retry_after.map(units), self.retry_after(key, amount, limit));
            }
            (found, refused) => panic!("{found:?}, but the model refuses the claim {refused:?}"),
        }
    }

    async fn settle(&mut self, bench: &Bench<impl Fixture>, index: usize, used: &[u64]) {
        let held = &mut self.held[index];
        let used = &used[..held.claims.len()];
        bench.store.settle(&held.reservation, used).await.unwrap();
        let counts = !held.settled || held.expires + GRACE <= self.now;
        held.settled = true;
        if !counts {
            return;
        }
        for ((key, _, window), used) in held.claims.clone().into_iter().zip(used).filter(|(_, used)| **used > 0) {
            let (before, resets) = self.used(key, self.now);
            let resets = if before == 0 { window.map(|window| self.now + window) } else { resets };
            self.used.insert(key, (before.saturating_add(*used).min(MAX_AMOUNT), resets));
        }
    }
}

/// Random operations have the results that a naive model predicts.
pub fn the_store_does_what_the_model_does<F: Fixture>() {
    let config = ProptestConfig { cases: F::SEQUENCES, failure_persistence: None, ..ProptestConfig::default() };
    let run = TestRunner::new(config).run(&vec(operation(), 1..60), |operations| {
        test::<F>(async |bench| {
            let mut model = Model::default();
            for operation in operations {
                model.step(bench, operation).await;
            }
        });
        Ok(())
    });
    run.unwrap();
}
