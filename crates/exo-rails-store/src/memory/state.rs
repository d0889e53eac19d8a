//! The records, counters and logs of a store in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use super::bounds::{Bounds, Size};
use crate::counter::Level;
use crate::time::{GRACE, after, between};
use crate::{Claim, Conflict, Counter, Expected, LogEntry, OverLimit, Record, Reservation, StoreError, Version, Write};

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) bounds: Bounds,
    records: HashMap<Arc<str>, Stored>,
    counters: HashMap<Arc<str>, Tally>,
    /// The reservations that are not settled. An expired reservation stays for some time.
    reservations: HashMap<u64, Held>,
    logs: HashMap<Arc<str>, Log>,
    /// The times when items expire. The time here is always the time in the item.
    expiry: BTreeSet<(u64, Expiring)>,
    /// The last number that the store used as a version or as the id of a reservation.
    last_number: u64,
}

#[derive(Debug)]
struct Stored {
    value: Vec<u8>,
    version: Version,
    written: u64,
    expires: Option<u64>,
}

/// A counter, with the amounts of the reservations in the order in which they expire.
#[derive(Debug, Default)]
struct Tally {
    level: Level,
    held: BTreeMap<Holding, u64>,
}

/// The time when a reservation expires, its id, and the index of the claim.
type Holding = (u64, u64, usize);

#[derive(Debug)]
struct Held {
    keys: Vec<Arc<str>>,
    expires: u64,
}

#[derive(Debug, Default)]
struct Log {
    next: u64,
    /// The times when the entries were appended, and the entries.
    entries: VecDeque<(u64, Vec<u8>)>,
    expires: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Expiring {
    Record(Arc<str>),
    Window(Arc<str>),
    Reservation(u64),
    /// The time until which the store recognizes a late settlement.
    Grace(u64),
    Log(Arc<str>),
}

impl State {
    /// Removes everything that has expired.
    pub(super) fn expire(&mut self, now: u64) {
        while self.expiry.first().is_some_and(|(at, _)| *at <= now) {
            let Some((at, item)) = self.expiry.pop_first() else { return };
            match item {
                Expiring::Record(key) => self.remove_record(&key),
                Expiring::Window(key) => self.close_window(&key),
                Expiring::Reservation(id) => {
                    self.free(id);
                    self.expiry.insert((at.saturating_add(GRACE), Expiring::Grace(id)));
                }
                Expiring::Grace(id) => drop(self.remove_reservation(id)),
                Expiring::Log(key) => self.remove_log(&key),
            }
        }
    }

    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    fn set_expiry(&mut self, at: Option<u64>, item: Expiring) {
        self.expiry.extend(at.map(|at| (at, item)));
    }

    fn unset_expiry(&mut self, at: Option<u64>, item: Expiring) {
        if let Some(at) = at {
            self.expiry.remove(&(at, item));
        }
    }

    pub(super) fn record(&self, key: &str, now: u64) -> Option<Record> {
        self.records.get(key).map(|stored| Record {
            value: stored.value.clone(),
            version: stored.version,
            age: between(stored.written, now),
        })
    }

    pub(super) fn compare_and_set(
        &mut self,
        key: &str,
        expected: Expected,
        write: Write<'_>,
        now: u64,
    ) -> Result<Result<Version, Conflict>, StoreError> {
        let old = self.records.get(key);
        if !expected.matches(old.map(|old| old.version)) {
            return Ok(Err(Conflict { found: self.record(key, now) }));
        }
        if let Write::Put(value, _) = write {
            let old = old.map_or(Size::default(), |old| Size::of(key, &old.value));
            self.bounds.check(Size::of(key, value), old)?;
        }
        let version = Version(self.next_number());
        self.remove_record(key);
        if let Write::Put(value, expires_in) = write {
            let key: Arc<str> = key.into();
            let expires = expires_in.map(|expires_in| after(now, expires_in));
            self.bounds.add(Size::of(&key, value));
            self.set_expiry(expires, Expiring::Record(key.clone()));
            self.records.insert(key, Stored { value: value.to_vec(), version, written: now, expires });
        }
        Ok(Ok(version))
    }

    fn remove_record(&mut self, key: &str) {
        if let Some((key, stored)) = self.records.remove_entry(key) {
            self.bounds.remove(Size::of(&key, &stored.value));
            self.unset_expiry(stored.expires, Expiring::Record(key));
        }
    }

    pub(super) fn counter(&self, key: &str, now: u64) -> Counter {
        self.counters.get(key).map_or(Counter::default(), |tally| tally.level.counter(now))
    }

    pub(super) fn reserve(
        &mut self,
        claims: &[Claim<'_>],
        hold_for: Duration,
        now: u64,
    ) -> Result<Result<Reservation, OverLimit>, StoreError> {
        if let Err(over_limit) = self.check_limits(claims, now) {
            return Ok(Err(over_limit));
        }
        self.bounds.check(self.size_of(claims), Size::default())?;
        let id = self.next_number();
        let expires = after(now, hold_for);
        let mut keys = Vec::with_capacity(claims.len());
        for (index, claim) in claims.iter().enumerate() {
            let (key, tally) = self.tally(claim.key);
            tally.level.reserved += claim.amount;
            tally.held.insert((expires, id, index), claim.amount);
            self.bounds.add(Size::of(&key, &[]));
            keys.push(key);
        }
        self.reservations.insert(id, Held { keys, expires });
        self.expiry.insert((expires, Expiring::Reservation(id)));
        Ok(Ok(Reservation::new(id.to_string(), claims, expires)))
    }

    fn check_limits(&self, claims: &[Claim<'_>], now: u64) -> Result<(), OverLimit> {
        let empty = Tally::default();
        for (index, claim) in claims.iter().enumerate() {
            let tally = self.counters.get(claim.key).unwrap_or(&empty);
            let earlier = claims[..index].iter().filter(|other| other.key == claim.key);
            let excess = tally.level.excess(claim, earlier.map(|claim| claim.amount).sum());
            if excess > 0 {
                let held = tally.held.iter().map(|((expires, ..), amount)| (*expires, *amount));
                return Err(tally.level.over_limit(index, excess, held, now));
            }
        }
        Ok(())
    }

    /// The size of a reservation, and of the counters that it must make.
    fn size_of(&self, claims: &[Claim<'_>]) -> Size {
        claims.iter().fold(Size::default(), |size, claim| {
            let reserved = Size::of(claim.key, &[]);
            let size = size.and(reserved);
            if self.counters.contains_key(claim.key) { size } else { size.and(reserved) }
        })
    }

    /// Returns the counter with a key. Makes the counter if it does not exist.
    fn tally(&mut self, key: &str) -> (Arc<str>, &mut Tally) {
        let known = self.counters.get_key_value(key).map(|(key, _)| key.clone());
        let key = known.unwrap_or_else(|| {
            self.bounds.add(Size::of(key, &[]));
            key.into()
        });
        let tally = self.counters.entry(key.clone()).or_default();
        (key, tally)
    }

    pub(super) fn settle(&mut self, reservation: &Reservation, used: &[u64], now: u64) {
        let known = reservation.id.parse().is_ok_and(|id| {
            self.free(id);
            self.remove_reservation(id)
        });
        // The store would still know the reservation if nobody had settled it.
        if !known && now < reservation.expires_at.saturating_add(GRACE) {
            return;
        }
        for (claim, used) in reservation.claims.iter().zip(used).filter(|(_, used)| **used > 0) {
            self.count(&claim.key, *used, claim.window.map(|window| after(now, window)));
        }
    }

    fn count(&mut self, key: &str, used: u64, window: Option<u64>) {
        let (key, tally) = self.tally(key);
        let before = tally.level.resets_at;
        tally.level.count(used, window);
        let opened = tally.level.resets_at.filter(|_| before.is_none());
        self.set_expiry(opened, Expiring::Window(key));
    }

    /// Frees the amounts of a reservation.
    fn free(&mut self, id: u64) {
        let Some(held) = self.reservations.get(&id) else { return };
        let (keys, expires) = (held.keys.clone(), held.expires);
        for (index, key) in keys.iter().enumerate() {
            if let Some(tally) = self.counters.get_mut(key)
                && let Some(amount) = tally.held.remove(&(expires, id, index))
            {
                tally.level.reserved -= amount;
            }
            self.remove_unused_counter(key);
        }
    }

    /// Forgets a reservation. Returns whether the store knew it.
    fn remove_reservation(&mut self, id: u64) -> bool {
        let Some(held) = self.reservations.remove(&id) else { return false };
        for key in &held.keys {
            self.bounds.remove(Size::of(key, &[]));
        }
        self.expiry.remove(&(held.expires, Expiring::Reservation(id)));
        self.expiry.remove(&(held.expires.saturating_add(GRACE), Expiring::Grace(id)));
        true
    }

    fn close_window(&mut self, key: &str) {
        if let Some(tally) = self.counters.get_mut(key) {
            tally.level = Level { reserved: tally.level.reserved, ..Level::default() };
        }
        self.remove_unused_counter(key);
    }

    /// Removes a counter without reservations.
    pub(super) fn forget(&mut self, key: &str) {
        let Some((known, tally)) = self.counters.get_key_value(key).filter(|(_, tally)| tally.held.is_empty()) else {
            return;
        };
        let (known, resets_at) = (known.clone(), tally.level.resets_at);
        self.unset_expiry(resets_at, Expiring::Window(known));
        self.counters.remove(key);
        self.bounds.remove(Size::of(key, &[]));
    }

    fn remove_unused_counter(&mut self, key: &str) {
        if self.counters.get(key).is_some_and(|tally| tally.level.used == 0 && tally.held.is_empty()) {
            self.counters.remove(key);
            self.bounds.remove(Size::of(key, &[]));
        }
    }

    pub(super) fn append(
        &mut self,
        key: &str,
        entry: &[u8],
        keep: usize,
        expires_in: Option<Duration>,
        now: u64,
    ) -> Result<u64, StoreError> {
        let keep = keep.max(1);
        let log = self.logs.get(key);
        let gone = log.map_or(0, |log| (log.entries.len() + 1).saturating_sub(keep));
        let old = log.into_iter().flat_map(|log| log.entries.iter().take(gone));
        let old = old.fold(Size::default(), |size, (_, entry)| size.and(Size::of(key, entry)));
        self.bounds.check(Size::of(key, entry), old)?;
        self.bounds.remove(old);
        self.bounds.add(Size::of(key, entry));

        let key: Arc<str> = key.into();
        let log = self.logs.entry(key.clone()).or_default();
        log.entries.drain(..gone);
        log.entries.push_back((now, entry.to_vec()));
        log.next += 1;
        let number = log.next - 1;
        let old_expiry = std::mem::replace(&mut log.expires, expires_in.map(|expires_in| after(now, expires_in)));
        let expires = log.expires;
        self.unset_expiry(old_expiry, Expiring::Log(key.clone()));
        self.set_expiry(expires, Expiring::Log(key));
        Ok(number)
    }

    pub(super) fn entries(&self, key: &str, now: u64) -> Vec<LogEntry> {
        let Some(log) = self.logs.get(key) else { return Vec::new() };
        let first = log.next - log.entries.len() as u64;
        (first..)
            .zip(&log.entries)
            .map(|(number, (at, value))| LogEntry { number, age: between(*at, now), value: value.clone() })
            .collect()
    }

    fn remove_log(&mut self, key: &str) {
        if let Some(log) = self.logs.remove(key) {
            let size = log.entries.iter().map(|(_, entry)| Size::of(key, entry)).fold(Size::default(), Size::and);
            self.bounds.remove(size);
        }
    }
}
