//! State files that are removed, replaced or damaged while they are in use, and clocks that differ.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use exo_rails_store::{Claim, FileStore, StateStore, StateStoreExt, StoreError};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);
const TWO_DAYS: i64 = 2 * 24 * 3_600_000;

fn claim(key: &str) -> Claim<'_> {
    Claim { key, amount: 1, limit: 1, window: Some(DAY) }
}

async fn spend(store: &FileStore, key: &str) -> Result<bool, StoreError> {
    let Ok(reservation) = store.reserve(&[claim(key)], HOUR).await? else { return Ok(false) };
    store.settle(&reservation, &[1]).await?;
    Ok(true)
}

fn execute(path: &Path, sql: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", path.display()))
}

/// The error of each kind of operation, after which nothing has changed.
async fn errors(store: &FileStore) -> Vec<String> {
    let results = [
        store.get("record").await.map(drop),
        store.write("record", "value", None).await,
        store.reserve(&[claim("other")], HOUR).await.map(drop),
        store.counter("budget").await.map(drop),
        store.append("log", b"entry", 9, None).await.map(drop),
        store.entries("log").await.map(drop),
        store.forget(&["budget".to_owned()]).await,
    ];
    results.into_iter().map(|result| result.unwrap_err().to_string()).collect()
}

/// The budget of a day is used. A process whose clock is two days ahead of the others, or behind them, changes nothing.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_with_another_clock_frees_no_budget() {
    for (ahead, words) in [(TWO_DAYS, " ahead of the clock of"), (-TWO_DAYS, " behind the clock of")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let store = FileStore::open(&path).unwrap();
        assert!(spend(&store, "budget").await.unwrap());
        // As if the others had a clock that differs from this one.
        execute(&path, &format!("UPDATE clock SET difference = difference - {ahead}, latest = latest - {ahead}"));
        let wrong = FileStore::open(&path).unwrap();
        for error in errors(&wrong).await {
            assert!(error.contains(words), "{error}");
            assert!(error.contains("correct the clock of the machine"), "{error}");
        }
        execute(&path, &format!("UPDATE clock SET difference = difference + {ahead}, latest = latest + {ahead}"));
        assert!(!spend(&store, "budget").await.unwrap(), "the budget was freed");
    }
}

/// A person has corrected the clock of the machine.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_corrected_clock_can_be_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let store = FileStore::open(&path).unwrap();
    assert!(spend(&store, "budget").await.unwrap());
    execute(&path, &format!("UPDATE clock SET difference = difference + {TWO_DAYS}"));
    assert!(spend(&store, "other").await.is_err());
    store.trust_clock().await.unwrap();
    assert!(!spend(&store, "budget").await.unwrap() && spend(&store, "other").await.unwrap());
}

/// A long time without an operation, a start of the machine, and a correction by some seconds are not errors.
#[tokio::test]
async fn a_long_time_is_not_a_wrong_clock() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let store = FileStore::open(&path).unwrap();
    assert!(spend(&store, "budget").await.unwrap());
    for change in [
        "UPDATE clock SET latest = latest - 30 * 86400000",
        "UPDATE clock SET start = 'an earlier start', latest = latest - 30 * 86400000, difference = 0",
        "UPDATE clock SET difference = difference + 30000",
        "UPDATE clock SET difference = difference - 30000",
    ] {
        execute(&path, change);
        assert!(!spend(&store, "budget").await.unwrap(), "{change}");
    }
}

/// After a start of the machine, and on systems without a second clock, a clock that goes back is noticed.
#[tokio::test]
async fn a_clock_behind_the_last_write_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let store = FileStore::open(&path).unwrap();
    assert!(spend(&store, "budget").await.unwrap());
    execute(&path, &format!("UPDATE clock SET start = 'an earlier start', latest = latest + {TWO_DAYS}"));
    let error = spend(&store, "other").await.unwrap_err().to_string();
    assert!(error.contains(" behind the clock of the process that used the file before"), "{error}");
}

/// Whatever happens to the file, the next operation fails, and another process gets no second budget beside this one.
#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_replaced_while_it_is_in_use_is_an_error() {
    type Change = fn(&Path);
    let removed: Change = |path| fs::remove_file(path).unwrap();
    let renamed: Change = |path| fs::rename(path, beside(path, ".old")).unwrap();
    let copied: Change = |path| {
        fs::copy(path, beside(path, ".copy")).unwrap();
        fs::rename(beside(path, ".copy"), path).unwrap();
    };
    let all_removed: Change = |path| {
        for end in ["", "-wal", "-shm"] {
            fs::remove_file(beside(path, end)).unwrap();
        }
    };
    let changes_removed: Change = |path| fs::remove_file(beside(path, "-wal")).unwrap();
    let made_again: Change = |path| {
        for end in ["", "-wal", "-shm"] {
            fs::remove_file(beside(path, end)).unwrap();
        }
        drop(FileStore::open(path).unwrap());
    };
    for change in [removed, renamed, copied, all_removed, changes_removed, made_again] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let store = FileStore::open(&path).unwrap();
        let open = store.reserve(&[claim("budget")], HOUR).await.unwrap().unwrap();
        change(&path);
        let mut all = errors(&store).await;
        all.push(store.settle(&open, &[1]).await.unwrap_err().to_string());
        for error in all {
            assert!(error.contains("it was removed or replaced while it was in use"), "{error}");
        }
    }
}

/// The file is put back.
#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_put_back_works_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let store = FileStore::open(&path).unwrap();
    assert!(spend(&store, "budget").await.unwrap());
    fs::rename(&path, beside(&path, ".old")).unwrap();
    assert!(spend(&store, "budget").await.is_err());
    fs::rename(beside(&path, ".old"), &path).unwrap();
    assert!(!spend(&store, "budget").await.unwrap());
}

/// A reservation is one of its file. The new file has a reservation with the same number.
#[tokio::test]
async fn a_reservation_of_another_file_cannot_be_settled() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| FileStore::open(folder.path().join(name)).unwrap());
    let old = one.reserve(&[claim("budget")], HOUR).await.unwrap().unwrap();
    let new = two.reserve(&[claim("budget")], HOUR).await.unwrap().unwrap();
    let error = two.settle(&old, &[1]).await.unwrap_err().to_string();
    assert!(error.contains("the reservation is one of another file"), "{error}");
    let counter = two.counter("budget").await.unwrap();
    assert_eq!((counter.used, counter.reserved), (0, 1));
    two.settle(&new, &[1]).await.unwrap();
    let again = two.settle(&new, &[1]).await;
    again.unwrap();
    assert_eq!(two.counter("budget").await.unwrap().used, 1);
}

/// Only the damaged record and the damaged counters are errors. Their names are in the messages.
#[tokio::test]
async fn a_damaged_row_is_an_error_about_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let store = FileStore::open(&path).unwrap();
    for key in ["good", "bad"] {
        store.write(key, "value", None).await.unwrap();
        assert!(spend(&store, key).await.unwrap());
        let _held = store.reserve(&[Claim { limit: 9, ..claim(&format!("held {key}")) }], HOUR).await.unwrap().unwrap();
    }
    execute(
        &path,
        "UPDATE record SET version = -1 WHERE key = 'bad';
         UPDATE counter SET used = -5 WHERE key = 'bad';
         UPDATE held SET amount = -5 WHERE key = 'held bad'",
    );
    let errors = [
        (store.get("bad").await.map(drop).unwrap_err(), "`bad` is damaged in the table `record`"),
        (store.counter("bad").await.map(drop).unwrap_err(), "`bad` is damaged in the table `counter`"),
        (store.reserve(&[claim("bad")], HOUR).await.map(drop).unwrap_err(), "`bad` is damaged in the table `counter`"),
        (store.counter("held bad").await.map(drop).unwrap_err(), "`held bad` is damaged in the table `held`"),
    ];
    for (error, expected) in errors {
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert_eq!(store.read::<String>("good").await.unwrap().as_deref(), Some("value"));
    assert_eq!(store.counter("good").await.unwrap().used, 1);
    assert_eq!(store.counter("held good").await.unwrap().reserved, 1);
    assert!(spend(&store, "new").await.unwrap());
}
