//! Two processes with 64 tasks each use one budget, and one of them is killed at a random moment.
//!
//! The test starts its own program again: as a child, the program runs only the test [`child`].

use std::collections::hash_map::RandomState;
use std::fs::{File, OpenOptions};
use std::hash::BuildHasher;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use exo_rails_store::{Claim, StateStore};
use tokio::runtime::Builder;
use tokio::task::JoinSet;

use tempfile::TempDir;

const KILLS: u64 = 100;
const TASKS: u64 = 64;
const LIMIT: u64 = 400;
const HOUR: Duration = Duration::from_hours(1);

/// How the test gives a child its work.
const STORE: &str = "EXO_RAILS_TEST_STORE";
const LEDGER: &str = "EXO_RAILS_TEST_LEDGER";

/// Opens a store by its description: a path, or a URL of Redis with the deployment after a space.
fn open(description: &str, ahead: Duration) -> Arc<dyn StateStore> {
    match description.split_once(' ') {
        Some((url, deployment)) => {
            Arc::new(exo_rails_store::RedisStore::open(url, deployment).unwrap().clock_ahead(ahead))
        }
        None => Arc::new(exo_rails_store::FileStore::open(description).unwrap().clock_ahead(ahead)),
    }
}

fn claim(amount: u64) -> Claim<'static> {
    Claim { key: "budget", amount, limit: LIMIT, window: None }
}

/// Does nothing, unless another test starts it in a process of its own.
#[test]
fn child() {
    let Ok(store) = std::env::var(STORE) else { return };
    let ledger = std::env::var(LEDGER).unwrap();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let store = open(&store, Duration::ZERO);
        let mut tasks: JoinSet<()> =
            (0..TASKS).map(|number| spend(store.clone(), ledger.clone(), 1 + number % 5)).collect();
        while let Some(result) = tasks.join_next().await {
            result.unwrap();
        }
    });
}

/// Spends from the budget until it is used up. The ledger has a line for each call before its settlement, and another one
/// after it.
async fn spend(store: Arc<dyn StateStore>, ledger: String, amount: u64) {
    let mut ledger = OpenOptions::new().append(true).create(true).open(ledger).unwrap();
    while let Ok(reservation) = store.reserve(&[claim(amount)], HOUR).await.unwrap() {
        let used = amount.div_ceil(2);
        ledger.write_all(format!("spent {used}\n").as_bytes()).unwrap();
        store.settle(&reservation, &[used]).await.unwrap();
        ledger.write_all(format!("settled {used}\n").as_bytes()).unwrap();
    }
}

fn start_child(test: &str, store: &str, ledger: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", test])
        .env(STORE, store)
        .env(LEDGER, ledger)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// The sum of the lines that begin with a word.
fn sum(ledgers: &[std::path::PathBuf], word: &str) -> u64 {
    let lines = ledgers.iter().map(|ledger| std::fs::read_to_string(ledger).unwrap_or_default());
    lines
        .flat_map(|text| {
            text.lines().filter_map(|line| line.strip_prefix(word)?.trim().parse::<u64>().ok()).collect::<Vec<_>>()
        })
        .sum()
}

/// What happened in one round.
struct Round {
    reserved: u64,
    used: u64,
}

/// Two children spend, and one of them is killed after some time.
fn round(store: &str, folder: &TempDir, number: u64, kill_after: Duration) -> Round {
    let ledgers = [0, 1].map(|child| folder.path().join(format!("ledger-{number}-{child}")));
    let [mut killed, mut survivor] = ledgers.each_ref().map(|ledger| start_child("kills::child", store, ledger));
    thread::sleep(kill_after);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(survivor.wait().unwrap().success(), "a child failed");

    let (spent, settled) = (sum(&ledgers, "spent"), sum(&ledgers, "settled"));
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let counter = open(store, Duration::ZERO).counter("budget").await.unwrap();
        assert!(spent <= LIMIT, "spent {spent} of {LIMIT}");
        assert!(counter.used + counter.reserved <= LIMIT, "{counter:?}");
        // No settlement is lost, and none counts twice.
        assert!((settled..=spent).contains(&counter.used), "{counter:?}, but {settled} to {spent} were settled");

        let later = open(store, HOUR);
        let found = later.counter("budget").await.unwrap();
        assert_eq!((found.used, found.reserved), (counter.used, 0), "amounts are still reserved");
        let rest = later.reserve(&[claim(LIMIT - found.used)], HOUR).await.unwrap();
        assert!(rest.is_ok(), "{rest:?}");
        assert!(later.reserve(&[claim(1)], HOUR).await.unwrap().is_err());
        Round { reserved: counter.reserved, used: counter.used }
    })
}

/// Kills a child in each round, at moments from its start to its end.
fn kill_in_each_round(longest: Duration, store: impl Fn(u64) -> String) {
    let folder = tempfile::tempdir().unwrap();
    let (mut leaked, mut at_work) = (0, 0);
    for number in 0..KILLS {
        let random = RandomState::new().hash_one(number) % 1_000;
        let outcome = round(&store(number), &folder, number, longest * u32::try_from(random).unwrap() / 1_000);
        leaked += u64::from(outcome.reserved > 0);
        at_work += u64::from(outcome.used < LIMIT);
    }
    // Otherwise, no kill has hit a child at work.
    assert!(leaked > KILLS / 20, "{leaked} of {KILLS} kills left a reservation, {at_work} left a rest");
    eprintln!("{leaked} of {KILLS} kills left a reservation");
}

/// Takes the only place of a counter, many times. A file shows that nobody else has the place. Does nothing, unless another
/// test starts it in a process of its own.
#[test]
fn child_with_one_place() {
    let Ok(store) = std::env::var(STORE) else { return };
    let place = std::env::var(LEDGER).unwrap();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let store = open(&store, Duration::ZERO);
        let mut tasks: JoinSet<()> = (0..TASKS).map(|_| take_place(store.clone(), place.clone())).collect();
        while let Some(result) = tasks.join_next().await {
            result.unwrap();
        }
    });
}

async fn take_place(store: Arc<dyn StateStore>, place: String) {
    let claim = Claim { key: "place", amount: 1, limit: 1, window: None };
    let mut taken = OpenOptions::new().append(true).create(true).open(format!("{place}-taken")).unwrap();
    for _ in 0..100 {
        if let Ok(reservation) = store.reserve(&[claim], HOUR).await.unwrap() {
            taken.write_all(b".").unwrap();
            File::create_new(&place).expect("two have the place");
            tokio::time::sleep(Duration::from_millis(1)).await;
            assert_eq!(store.counter("place").await.unwrap().reserved, 1);
            std::fs::remove_file(&place).unwrap();
            store.settle(&reservation, &[0]).await.unwrap();
        }
    }
}

/// Three processes with 64 tasks each want one place.
fn want_one_place(store: &str) {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("place");
    let children: Vec<_> = (0..3).map(|_| start_child("kills::child_with_one_place", store, &place)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success(), "a child failed");
    }
    let taken = std::fs::metadata(folder.path().join("place-taken")).unwrap().len();
    assert!(taken >= 30, "the place was taken {taken} times only");
}

#[test]
fn one_process_at_a_time_has_a_place_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    want_one_place(&folder.path().join("state").display().to_string());
}

#[test]
fn one_process_at_a_time_has_a_place_in_redis() {
    let Some(server) = crate::redis_server::shared() else { return };
    want_one_place(&format!("{} {}", server.url(), crate::redis_server::unique_name()));
}

#[test]
fn processes_never_overspend_a_budget_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    kill_in_each_round(Duration::from_millis(120), |number| {
        folder.path().join(number.to_string()).display().to_string()
    });
}

#[test]
fn processes_never_overspend_a_budget_in_redis() {
    let Some(server) = crate::redis_server::shared() else { return };
    let name = crate::redis_server::unique_name();
    kill_in_each_round(Duration::from_millis(80), |number| format!("{} {name}-{number}", server.url()));
}
