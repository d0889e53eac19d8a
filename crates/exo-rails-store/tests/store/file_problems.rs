//! Files that cannot be used, and what the store says about them.

use std::fs::{self, File, Permissions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Barrier;
use std::thread;

use exo_rails_store::{FileStore, StateStore, StateStoreExt, StoreError};

const PATH: &str = "EXO_RAILS_TEST_PATH";

fn open_error(path: &Path) -> String {
    let error = FileStore::open(path).unwrap_err().to_string();
    assert!(error.starts_with(&format!("the state store failed: state file `{}`: ", path.display())), "{error}");
    error.split_once("`: ").unwrap().1.to_owned()
}

#[tokio::test]
async fn only_the_user_can_read_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let store = FileStore::open(&path).unwrap();
    store.write("key", "value", None).await.unwrap();
    let files: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().map(|file| file.unwrap()).collect();
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
    }
    for mode in [0o640, 0o602] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let error = open_error(&path);
        assert!(error.starts_with(&format!("it has the mode {mode:04o}, so other users")), "{error}");
    }
}

#[test]
fn a_file_that_is_not_a_state_file_is_refused_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let database = |name: &str, sql: &str| {
        let path = folder.path().join(name);
        drop(FileStore::open(&path).unwrap());
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        wait_until_closed(&path);
        path
    };
    let text = folder.path().join("text");
    fs::write(&text, "not a database ".repeat(100)).unwrap();
    fs::set_permissions(&text, Permissions::from_mode(0o600)).unwrap();
    let cases = [
        (text, "it is not a state file of exo-rails, or it is damaged: use another path, or remove it"),
        (
            database("foreign", "PRAGMA application_id = 7"),
            "it exists and is not a state file of exo-rails: use another path",
        ),
        (
            database("no id", "PRAGMA application_id = 0"),
            "it exists and is not a state file of exo-rails: use another path",
        ),
        (
            database("newer", "PRAGMA user_version = 3"),
            "it has format 3, and this version of exo-rails-store uses format 2: use another path, or the version that \
             made the file",
        ),
    ];
    for (path, expected) in cases {
        let before = fs::read(&path).unwrap();
        let error = open_error(&path);
        assert!(error.starts_with(expected), "{error}");
        assert!(fs::read(&path).unwrap() == before, "{} was changed", path.display());
    }
}

#[test]
fn a_path_without_a_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(open_error(&folder.path().join("no/state")), "its folder does not exist: make the folder first");
    assert!(FileStore::open(folder.path().join("")).is_err());
}

#[tokio::test]
async fn a_damaged_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let store = FileStore::open(&path).unwrap();
    for number in 0..250_u8 {
        store.append("log", &[number; 200], 1_000, None).await.unwrap();
    }
    drop(store);
    wait_until_closed(&path);
    // Everything but the header.
    let length = fs::metadata(&path).unwrap().len();
    let mut file = File::options().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(4_096)).unwrap();
    file.write_all(&vec![0xA5; usize::try_from(length).unwrap() - 4_096]).unwrap();

    let store = FileStore::open(&path).unwrap();
    for error in [
        store.entries("log").await.unwrap_err(),
        store.append("log", b"entry", 10, None).await.unwrap_err(),
        store.write("key", "value", None).await.unwrap_err(),
    ] {
        let error = error.to_string();
        assert!(error.contains("`: it is damaged: restore it from a backup, or remove it"), "{error}");
    }
}

/// The thread of a store ends after the store, and then moves everything into the file.
fn wait_until_closed(path: &Path) {
    let log = std::path::PathBuf::from(format!("{}-wal", path.display()));
    while log.exists() {
        thread::yield_now();
    }
}

#[test]
fn a_file_that_cannot_be_written_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    drop(FileStore::open(&path).unwrap());
    wait_until_closed(&path);
    fs::set_permissions(&path, Permissions::from_mode(0o400)).unwrap();
    if File::options().write(true).open(&path).is_err() {
        assert_eq!(open_error(&path), READ_ONLY);
        return;
    }
    // The superuser can write every file. So another user tries.
    let nobody = 65_534;
    std::os::unix::fs::chown(&path, Some(nobody), None).unwrap();
    fs::set_permissions(path.parent().unwrap(), Permissions::from_mode(0o777)).unwrap();
    let program = path.with_file_name("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let mut child = Command::new(&program);
    std::os::unix::process::CommandExt::uid(&mut child, nobody);
    let child = child.args(["--exact", "file_problems::read_only_child"]).env(PATH, &path);
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

const READ_ONLY: &str = "it cannot be written: change the permissions of the file and its folder";

/// Does nothing, unless another test starts it in a process of its own.
#[test]
fn read_only_child() {
    let Ok(path) = std::env::var(PATH) else { return };
    assert_eq!(open_error(path.as_ref()), READ_ONLY);
}

/// A process may write files of 200 kB only, so the file cannot grow.
#[test]
fn a_file_that_cannot_grow_is_an_error_and_keeps_its_contents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let script = "trap '' XFSZ; ulimit -f 400; exec \"$0\" --exact file_problems::full_child";
    let child = Command::new("sh").args(["-c", script]).arg(std::env::current_exe().unwrap()).env(PATH, &path).output();
    let output = child.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));

    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = FileStore::open(&path).unwrap();
        let last: u64 = store.read("last").await.unwrap().unwrap();
        for number in 0..=last {
            assert!(store.get(&number.to_string()).await.unwrap().is_some(), "the record {number} of {last} is lost");
        }
    });
}

/// Does nothing, unless another test starts it in a process of its own.
#[test]
fn full_child() {
    let Ok(path) = std::env::var(PATH) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = FileStore::open(path).unwrap();
        for number in 0..1_000_u64 {
            let written = store.write(&number.to_string(), &"x".repeat(1_000), None).await;
            let written = match written {
                Ok(()) => store.write("last", &number, None).await,
                error => error,
            };
            match written {
                Ok(()) => {}
                Err(StoreError::Full(text)) => return assert!(text.contains("has no room"), "{text}"),
                Err(error) => return assert!(error.to_string().contains("the disk failed"), "{error}"),
            }
        }
        panic!("the file can grow");
    });
}

#[test]
fn processes_can_make_one_file_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..120 {
        let path = folder.path().join(number.to_string());
        let start = Barrier::new(8);
        let open = || {
            start.wait();
            FileStore::open(&path).map(drop)
        };
        thread::scope(|scope| {
            let opened: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            for result in opened {
                result.join().unwrap().unwrap();
            }
        });
    }
}

#[tokio::test]
async fn a_locked_file_is_an_error_that_names_the_lock() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let store = FileStore::open(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.write("key", "value", None).await.unwrap_err().to_string();
    assert!(error.contains("another process has locked it for too long"), "{error}");
    // Reading does not need the lock.
    assert_eq!(store.read::<String>("key").await.unwrap(), None);
    other.execute_batch("ROLLBACK").unwrap();
    store.write("key", "value", None).await.unwrap();
}

#[test]
fn the_file_does_not_keep_expired_entries() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let hour = std::time::Duration::from_hours(1);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        for later in 0..5 {
            let store = FileStore::open(&path).unwrap().clock_ahead(hour * later);
            for number in 0..50 {
                let key = format!("{later}-{number}");
                store.write(&key, &1, Some(hour)).await.unwrap();
                store.append(&key, b"entry", 1, Some(hour)).await.unwrap();
                let claim = exo_rails_store::Claim { key: &key, amount: 1, limit: 1, window: Some(hour) };
                let _expires = store.reserve(&[claim], hour).await.unwrap().unwrap();
                let used = exo_rails_store::Claim { key: "used", limit: 1_000, ..claim };
                let used = store.reserve(&[used], hour).await.unwrap().unwrap();
                store.settle(&used, &[1]).await.unwrap();
            }
        }
    });
    let rows = rusqlite::Connection::open(&path).unwrap();
    for (table, most) in
        [("record", 50), ("log", 50), ("entry", 50), ("held", 50), ("reservation", 100), ("counter", 1)]
    {
        let count: i64 = rows.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert!(count <= most, "{count} rows in `{table}`");
    }
}
