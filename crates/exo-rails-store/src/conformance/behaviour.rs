//! Tables of operations and results.

use std::time::Duration;

use super::bench::{Bench, Fixture, test};
use crate::{
    Change, Claim, Counter, Expected, MAX_AMOUNT, OverLimit, Reservation, StateStore, StateStoreExt, StoreError,
    Version, Write,
};

const HOUR: Duration = Duration::from_hours(1);

fn claim(key: &str, amount: u64) -> Claim<'_> {
    Claim { key, amount, limit: 10, window: None }
}

async fn reserve(store: &dyn StateStore, claims: &[Claim<'_>]) -> Result<Reservation, OverLimit> {
    store.reserve(claims, HOUR).await.unwrap()
}

async fn put(store: &dyn StateStore, expected: Expected, value: &[u8]) -> Option<Version> {
    store.compare_and_set("key", expected, Write::Put(value, None)).await.unwrap().ok()
}

/// The whole hours of a duration, because some stores use a clock that does not stop.
fn hours(duration: Option<Duration>) -> Option<u64> {
    duration.map(|duration| (duration.as_secs() + 1_800) / 3_600)
}

/// A write happens only if the record is the expected one, and no version ever comes back.
pub fn records_change_only_if_they_are_expected<F: Fixture>() {
    test::<F>(async |Bench { store, .. }| {
        assert_eq!(store.get("key").await.unwrap(), None);
        let first = put(store, Expected::Absent, b"one").await.unwrap();
        assert_eq!(put(store, Expected::Absent, b"two").await, None);
        let second = put(store, Expected::Version(first), b"two").await.unwrap();
        assert_ne!(first, second);

        let conflict =
            store.compare_and_set("key", Expected::Version(first), Write::Remove).await.unwrap().unwrap_err();
        let found = conflict.found.unwrap();
        assert_eq!((found.value.as_slice(), found.version), (b"two".as_slice(), second));

        store.compare_and_set("key", Expected::Version(second), Write::Remove).await.unwrap().unwrap();
        assert_eq!(store.get("key").await.unwrap(), None);
        // A version never comes back, also after a removal.
        assert_eq!(put(store, Expected::Version(second), b"three").await, None);
        let third = put(store, Expected::Any, b"two").await.unwrap();
        assert!(third != first && third != second);
    });
}

/// A counter that is forgotten begins again at 0, and a reserved amount stays. A store need not forget, so the counter is either
/// as it was or gone.
pub fn a_counter_is_forgotten_if_nothing_is_reserved<F: Fixture>() {
    test::<F>(async |Bench { store, .. }| {
        let window = Some(HOUR);
        for key in ["free", "held", "other"] {
            let claim = Claim { window, ..claim(key, 4) };
            let reservation = reserve(store, &[claim]).await.unwrap();
            store.settle(&reservation, &[4]).await.unwrap();
        }
        let held = reserve(store, &[claim("held", 5)]).await.unwrap();
        store.forget(&["free".into(), "held".into(), "missing".into()]).await.unwrap();
        let used = async |key| store.counter(key).await.unwrap().used;
        assert!([0, 4].contains(&used("free").await));
        assert_eq!((used("held").await, used("other").await), (4, 4));
        store.settle(&held, &[5]).await.unwrap();
        assert_eq!(used("held").await, 9);
        // The counter begins again, with a new window.
        let claim = Claim { window, ..claim("free", 4) };
        let reservation = reserve(store, &[claim]).await.unwrap();
        store.settle(&reservation, &[3]).await.unwrap();
        assert!([3, 7].contains(&used("free").await));
    });
}

/// Keys are any text, and values are any bytes, also of several megabytes. Records, counters and logs with one key are separate.
pub fn keys_and_values_are_any_text_and_bytes<F: Fixture>() {
    test::<F>(async |Bench { store, .. }| {
        let keys = ["", " ", "a", "a/b", "a:b", "{a}", "ü\n\0'\";--", "A", &"long".repeat(1_000)];
        let value = |key: &str| [key.as_bytes(), &[0, 255, 10, 13]].concat();
        for key in keys {
            let write = value(key);
            store.compare_and_set(key, Expected::Absent, Write::Put(&write, None)).await.unwrap().unwrap();
            store.append(key, &write, 5, None).await.unwrap();
            store.append(key, b"", 5, None).await.unwrap();
            reserve(store, &[claim(key, 3)]).await.unwrap();
        }
        for key in keys {
            assert_eq!(store.get(key).await.unwrap().unwrap().value, value(key));
            let entries = store.entries(key).await.unwrap();
            assert_eq!(entries.iter().map(|entry| entry.value.clone()).collect::<Vec<_>>(), [value(key), Vec::new()]);
            assert_eq!(store.counter(key).await.unwrap().reserved, 3);
        }
        let megabytes = vec![7; 3 << 20];
        put(store, Expected::Any, &megabytes).await.unwrap();
        assert_eq!(store.get("key").await.unwrap().unwrap().value, megabytes);
    });
}

/// A record expires at its time, and a new record does not inherit the expiry.
pub fn records_expire<F: Fixture>() {
    test::<F>(async |bench| {
        let day = Write::Put(b"one", Some(24 * HOUR));
        let version = bench.store.compare_and_set("key", Expected::Absent, day).await.unwrap().unwrap();
        bench.advance(23 * HOUR).await;
        assert_eq!(hours(bench.store.get("key").await.unwrap().map(|record| record.age)), Some(23));
        bench.advance(HOUR).await;
        assert_eq!(bench.store.get("key").await.unwrap(), None);
        assert_eq!(put(&bench.store, Expected::Version(version), b"two").await, None);
        // The new record does not have the old expiry.
        put(&bench.store, Expected::Absent, b"two").await.unwrap();
        bench.advance(10_000 * HOUR).await;
        assert_eq!(bench.store.get("key").await.unwrap().unwrap().value, b"two");
        let longest = Write::Put(b"three", Some(Duration::MAX));
        bench.store.compare_and_set("key", Expected::Any, longest).await.unwrap().unwrap();
        bench.advance(10_000 * HOUR).await;
        assert_eq!(bench.store.get("key").await.unwrap().unwrap().value, b"three");
    });
}

/// A counter has room up to its limit, and not for one more.
pub fn a_claim_is_refused_from_the_first_amount_over_the_limit<F: Fixture>() {
    test::<F>(async |Bench { store, .. }| {
        let first = reserve(store, &[claim("key", 4)]).await.unwrap();
        let second = reserve(store, &[claim("key", 6)]).await.unwrap();
        assert_eq!(reserve(store, &[claim("key", 1)]).await.unwrap_err().counter.reserved, 10);
        reserve(store, &[claim("key", 0)]).await.unwrap();

        store.give_back(&first).await.unwrap();
        store.settle(&second, &[5]).await.unwrap();
        assert_eq!(store.counter("key").await.unwrap(), Counter { used: 5, reserved: 0, resets_in: None });
        assert!(reserve(store, &[claim("key", 6)]).await.is_err());
        assert!(reserve(store, &[claim("key", 5)]).await.is_ok());
    });
}

/// The store reserves all claims of a call or none. Claims with the same key count together.
pub fn several_claims_are_all_reserved_or_none<F: Fixture>() {
    test::<F>(async |Bench { store, .. }| {
        let refused = reserve(store, &[claim("a", 10), claim("b", 11)]).await.unwrap_err();
        assert_eq!(refused, OverLimit { claim: 1, counter: Counter::default(), retry_after: None });
        assert_eq!(store.counter("a").await.unwrap(), Counter::default());
        // The sum of claims with one key counts.
        assert_eq!(reserve(store, &[claim("a", 6), claim("b", 1), claim("a", 5)]).await.unwrap_err().claim, 2);
        let both = reserve(store, &[claim("a", 6), claim("a", 4)]).await.unwrap();
        assert_eq!(store.counter("a").await.unwrap().reserved, 10);
        store.settle(&both, &[1, 2]).await.unwrap();
        assert_eq!(store.counter("a").await.unwrap(), Counter { used: 3, reserved: 0, resets_in: None });
        let nothing = reserve(store, &[]).await.unwrap();
        store.settle(&nothing, &[]).await.unwrap();
    });
}

/// A second settlement of a reservation changes nothing, also after the reservation would have expired.
pub fn a_reservation_counts_once<F: Fixture>() {
    test::<F>(async |bench| {
        let reservation = reserve(&bench.store, &[claim("key", 4)]).await.unwrap();
        for _ in 0..3 {
            bench.store.settle(&reservation, &[7]).await.unwrap();
            assert_eq!(bench.store.counter("key").await.unwrap(), Counter { used: 7, reserved: 0, resets_in: None });
        }
        bench.advance(HOUR + Duration::from_mins(1)).await;
        bench.store.settle(&reservation, &[7]).await.unwrap();
        assert_eq!(bench.store.counter("key").await.unwrap().used, 7);

        let wrong = bench.store.settle(&reservation, &[1, 2]).await.unwrap_err();
        assert_eq!(wrong.to_string(), "the reservation has 1 claims, so settle it with 1 amounts, not 2");
    });
}

/// An expired reservation is free, and what its call has used counts when it is settled late.
pub fn an_expired_reservation_is_free_and_its_use_still_counts<F: Fixture>() {
    test::<F>(async |bench| {
        for late in [Duration::from_mins(1), 100 * HOUR] {
            let key = format!("late by {late:?}");
            let reservation = reserve(&bench.store, &[claim(&key, 10)]).await.unwrap();
            assert_eq!(hours(reserve(&bench.store, &[claim(&key, 1)]).await.unwrap_err().retry_after), Some(1));
            bench.advance(HOUR).await;
            assert_eq!(bench.store.counter(&key).await.unwrap(), Counter::default());
            let other = reserve(&bench.store, &[claim(&key, 10)]).await.unwrap();
            bench.advance(late).await;
            bench.store.settle(&reservation, &[9]).await.unwrap();
            assert_eq!(bench.store.counter(&key).await.unwrap().used, 9);
            bench.store.settle(&other, &[0]).await.unwrap();
            assert_eq!(bench.store.counter(&key).await.unwrap(), Counter { used: 9, reserved: 0, resets_in: None });
        }
    });
}

/// The first settled amount opens the window, and its end sets the counter to 0.
pub fn a_window_ends_after_its_first_use<F: Fixture>() {
    test::<F>(async |bench| {
        let claim = Claim { window: Some(3 * HOUR), ..claim("key", 5) };
        let first = reserve(&bench.store, &[claim]).await.unwrap();
        bench.store.settle(&first, &[5]).await.unwrap();
        bench.advance(HOUR).await;
        let second = reserve(&bench.store, &[claim]).await.unwrap();
        let refused = reserve(&bench.store, &[claim]).await.unwrap_err();
        assert_eq!((refused.counter.used, refused.counter.reserved), (5, 5));
        // The reservation expires before the window ends.
        assert_eq!(hours(refused.retry_after), Some(1));
        bench.store.settle(&second, &[5]).await.unwrap();
        let refused = reserve(&bench.store, &[claim]).await.unwrap_err();
        assert_eq!((hours(refused.retry_after), hours(refused.counter.resets_in)), (Some(2), Some(2)));
        let never = Claim { amount: 11, ..claim };
        assert_eq!(reserve(&bench.store, &[never]).await.unwrap_err().retry_after, None);

        bench.advance(2 * HOUR).await;
        assert_eq!(bench.store.counter("key").await.unwrap(), Counter::default());
        let third = reserve(&bench.store, &[claim]).await.unwrap();
        bench.advance(HOUR / 2).await;
        bench.store.settle(&third, &[1]).await.unwrap();
        assert_eq!(hours(bench.store.counter("key").await.unwrap().resets_in), Some(3));
    });
}

/// Amounts up to `u64::MAX` neither overflow nor lose precision.
pub fn amounts_do_not_overflow<F: Fixture>() {
    test::<F>(async |Bench { store, .. }| {
        let claim = |amount| Claim { key: "key", amount, limit: u64::MAX, window: None };
        assert!(reserve(store, &[claim(u64::MAX)]).await.is_err());
        assert!(reserve(store, &[claim(MAX_AMOUNT), claim(u64::MAX)]).await.is_err());
        let most = reserve(store, &[claim(MAX_AMOUNT)]).await.unwrap();
        assert_eq!(store.counter("key").await.unwrap().reserved, MAX_AMOUNT);
        assert!(reserve(store, &[claim(1)]).await.is_err());
        store.settle(&most, &[MAX_AMOUNT - 1]).await.unwrap();
        assert_eq!(store.counter("key").await.unwrap().used, MAX_AMOUNT - 1);
        let one = reserve(store, &[claim(1)]).await.unwrap();
        store.settle(&one, &[u64::MAX]).await.unwrap();
        assert_eq!(store.counter("key").await.unwrap().used, MAX_AMOUNT);
    });
}

/// The time until there is room is exact, also if a settlement has counted more than was reserved, so that the sum of the
/// amounts is above the largest amount.
pub fn the_time_until_there_is_room_is_exact_for_large_amounts<F: Fixture>() {
    for reserved in 0..8 {
        test::<F>(async |Bench { store, .. }| {
            let claim = |amount, limit| Claim { key: "key", amount, limit, window: Some(3 * HOUR) };
            let most = reserve(store, &[claim(1, u64::MAX)]).await.unwrap();
            store.reserve(&[claim(reserved, u64::MAX)], 5 * HOUR).await.unwrap().unwrap();
            store.settle(&most, &[MAX_AMOUNT]).await.unwrap();
            for (amount, limit) in (0..6).flat_map(|amount| (3..9).map(move |limit| (amount, limit))) {
                let refused = reserve(store, &[claim(amount, limit)]).await.unwrap_err();
                let room = [(reserved, 3), (0, 5)].into_iter().find(|(left, _)| left + amount <= limit);
                let wanted = room.map(|(_, hours)| hours);
                assert_eq!(hours(refused.retry_after), wanted, "{amount} of {limit}, with {reserved} reserved");
            }
        });
    }
}

/// A log keeps its last entries, numbers them without gaps, and expires as a whole.
pub fn logs_keep_the_last_entries_and_expire<F: Fixture>() {
    test::<F>(async |bench| {
        let numbers = async |bench: &Bench<F>| {
            let entries = bench.store.entries("key").await.unwrap();
            entries.iter().map(|entry| (entry.number, entry.value[0])).collect::<Vec<_>>()
        };
        for number in 0..5 {
            assert_eq!(bench.store.append("key", &[number], 3, Some(2 * HOUR)).await.unwrap(), u64::from(number));
        }
        assert_eq!(numbers(bench).await, [(2, 2), (3, 3), (4, 4)]);
        bench.advance(HOUR).await;
        bench.store.append("key", &[5], 0, Some(2 * HOUR)).await.unwrap();
        assert_eq!(numbers(bench).await, [(5, 5)]);
        bench.advance(HOUR).await;
        assert_eq!(bench.store.append("key", &[6], usize::MAX, Some(2 * HOUR)).await.unwrap(), 6);
        let ages: Vec<_> =
            bench.store.entries("key").await.unwrap().iter().map(|entry| hours(Some(entry.age))).collect();
        assert_eq!(ages, [Some(1), Some(0)]);
        bench.advance(2 * HOUR).await;
        assert_eq!(numbers(bench).await, []);
        assert_eq!(bench.store.append("key", &[7], 3, None).await.unwrap(), 0);
        bench.advance(1_000 * HOUR).await;
        assert_eq!(numbers(bench).await, [(0, 7)]);
    });
}

/// The state of a namespace is separate from that of the store and of other namespaces.
pub fn namespaces_share_nothing<F: Fixture>() {
    test::<F>(async |Bench { store, .. }| {
        let shadow = store.clone().namespace("shadow");
        let nested = shadow.clone().namespace("a");
        let similar = store.clone().namespace("shadow:a");
        for (amount, store) in [(1, &*store), (2, &shadow), (3, &nested), (4, &similar)] {
            assert_eq!(store.read::<u64>("key").await.unwrap(), None);
            store.write("key", &amount, None).await.unwrap();
            assert_eq!(store.append("key", b"entry", 9, None).await.unwrap(), 0);
            let reservation = reserve(store, &[claim("key", amount)]).await.unwrap();
            assert_eq!(store.counter("key").await.unwrap().reserved, amount);
            store.settle(&reservation, &[amount]).await.unwrap();
        }
        for (amount, store) in [(1, &*store), (2, &shadow), (3, &nested), (4, &similar)] {
            assert_eq!(store.read::<u64>("key").await.unwrap(), Some(amount));
            assert_eq!(store.counter("key").await.unwrap().used, amount);
            assert_eq!(store.entries("key").await.unwrap().len(), 1);
        }
        shadow.remove("key").await.unwrap();
        assert_eq!(store.read::<u64>("key").await.unwrap(), Some(1));
    });
}

/// An update sees the last value, and the error about a wrong type does not quote the record.
pub fn updates_see_the_record_and_say_what_is_wrong<F: Fixture>() {
    test::<F>(async |Bench { store, .. }| {
        let add = |sum: Option<u64>| (Change::Put(sum.unwrap_or(0) + 1, None), sum);
        assert_eq!(store.update("key", add).await.unwrap(), None);
        assert_eq!(store.update("key", add).await.unwrap(), Some(1));
        assert_eq!(store.update("key", |sum: Option<u64>| (Change::Keep, sum)).await.unwrap(), Some(2));
        store.update("key", |_: Option<u64>| (Change::Remove, ())).await.unwrap();
        assert_eq!(store.read::<u64>("key").await.unwrap(), None);

        store.write("key", "a secret text", None).await.unwrap();
        for error in [store.update("key", add).await.unwrap_err(), store.read::<u64>("key").await.unwrap_err()] {
            assert!(matches!(error, StoreError::Invalid { .. }));
            assert!(error.to_string().contains("`key`") && !error.to_string().contains("secret"), "{error}");
        }
    });
}
