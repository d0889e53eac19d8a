//! Logs whose files other programs remove, replace or use, and paths that are not files.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::slice;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use exo_rails_audit::{Audit, AuditConfig, Verify, verify};

use crate::bench::{call, dispatch, runtime, write_log};

fn config(path: &Path) -> AuditConfig {
    Audit::builder().path(path).sync(false)
}

/// What another program does to the log, and the words of the error about it.
type Row<'a> = (&'a dyn Fn(&Path), &'a str);

fn away(path: &Path) {
    fs::rename(path, path.with_extension("old")).unwrap();
}

fn moved_and_made(path: &Path) {
    away(path);
    fs::write(path, "").unwrap();
}

fn replaced_by_a_copy(path: &Path) {
    let log = fs::read(path).unwrap();
    away(path);
    fs::write(path, log).unwrap();
}

fn removed(path: &Path) {
    fs::remove_file(path).unwrap();
}

fn emptied(path: &Path) {
    fs::File::options().write(true).truncate(true).open(path).unwrap();
}

fn extended(path: &Path) {
    fs::write(path, [fs::read(path).unwrap(), b"x\n".to_vec()].concat()).unwrap();
}

const ROWS: [Row<'static>; 6] = [
    (&away, "was removed, renamed or replaced while it was in use"),
    (&removed, "was removed, renamed or replaced while it was in use"),
    (&moved_and_made, "was removed, renamed or replaced while it was in use"),
    (&replaced_by_a_copy, "was removed, renamed or replaced while it was in use"),
    (&emptied, "was cut while it was in use"),
    (&extended, "has bytes of another writer while it was in use"),
];

/// The next flush fails, the next events are faults, and closing fails.
#[test]
fn a_log_that_is_replaced_while_it_is_in_use_is_an_error() {
    for (number, (change, expected)) in ROWS.into_iter().enumerate() {
        for write_first in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("audit.jsonl");
            runtime().block_on(async {
                let audit = Audit::new(config(&path)).unwrap();
                call(&audit, "before").await;
                audit.flush().await.unwrap();
                change(&path);
                if write_first {
                    // The writer has not noticed yet.
                    call(&audit, "unnoticed").await;
                }
                let error = audit.flush().await.unwrap_err().to_string();
                assert!(error.contains(expected), "{number}: {error}");
                let fault = dispatch(&audit, "refused").await.unwrap_err();
                assert!(fault.to_string().contains(expected), "{number}: {fault}");
                let error = audit.close().await.unwrap_err().to_string();
                assert!(error.contains(expected), "{number}: {error}");
            });
        }
    }
}

/// With `write_ahead`, the first call after the change is a fault.
#[test]
fn write_ahead_notices_at_the_next_event() {
    for (change, expected) in ROWS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        runtime().block_on(async {
            let audit = Audit::new(config(&path).write_ahead(true)).unwrap();
            call(&audit, "before").await;
            change(&path);
            let fault = dispatch(&audit, "refused").await.unwrap_err();
            assert!(fault.to_string().contains(expected), "{fault}");
        });
    }
}

/// Nothing is lost if somebody puts the file back.
#[test]
fn a_log_that_is_put_back_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    runtime().block_on(async {
        let audit = Audit::new(config(&path)).unwrap();
        call(&audit, "before").await;
        audit.flush().await.unwrap();
        away(&path);
        call(&audit, "unnoticed").await;
        assert!(audit.flush().await.is_err());
        fs::rename(path.with_extension("old"), &path).unwrap();
        call(&audit, "after").await;
        audit.close().await.unwrap();
    });
    assert_eq!(verify(&path).unwrap().events, 3);
}

/// The file that is written counts, in a log of several files too. The files before it may be archived.
#[test]
fn the_current_file_of_several_is_watched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let second = folder.path().join("audit.1.jsonl");
    for change in [away, removed, emptied] {
        let _ = (fs::remove_file(&path), fs::remove_file(&second));
        runtime().block_on(async {
            let audit = Audit::new(config(&path).max_file_bytes(1_000)).unwrap();
            call(&audit, "a").await;
            audit.flush().await.unwrap();
            while !second.exists() {
                call(&audit, "a").await;
                audit.flush().await.unwrap();
            }
            away(&path);
            audit.flush().await.unwrap();
            change(&second);
            assert!(audit.flush().await.is_err());
        });
    }
}

/// The next file of a log is new: bytes of others are not a part of it.
#[test]
fn the_next_file_must_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let next = folder.path().join("audit.1.jsonl");
    let mut calls = 0;
    runtime().block_on(async {
        let audit = Audit::new(config(&path).max_file_bytes(1_000)).unwrap();
        fs::write(&next, "of others\n").unwrap();
        let error = loop {
            call(&audit, "a").await;
            calls += 1;
            if let Err(error) = audit.flush().await {
                break error.to_string();
            }
        };
        assert!(error.contains("audit.1.jsonl` exists already: move it away"), "{error}");
        fs::remove_file(&next).unwrap();
        call(&audit, "b").await;
        audit.close().await.unwrap();
    });
    assert_eq!(verify(&path).unwrap().events, calls + 1);
}

/// Checks that nobody else opens the log. A writer waits for a lock for a while, so all of them try at the same time.
fn refused(first: &Path, all: &[PathBuf]) {
    thread::scope(|scope| {
        for second in all {
            scope.spawn(move || {
                let error = Audit::new(config(second)).map(drop).unwrap_err().to_string();
                assert!(error.contains("has another writer"), "{}, {}: {error}", first.display(), second.display());
            });
        }
    });
}

/// Each spelling of the path, and each link to the file, leads to the same writer.
#[test]
fn a_log_has_one_writer_whatever_the_path_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    fs::create_dir(folder.path().join("inside")).unwrap();
    for max_file_bytes in [0, 1] {
        write_log(config(&path).max_file_bytes(max_file_bytes), &path, &["a"]);
        let other = folder.path().join("inside").join("other.jsonl");
        let link = folder.path().join("link.jsonl");
        let (folder_link, hard) = (folder.path().join("folder"), folder.path().join("inside").join("hard.jsonl"));
        symlink(&path, &other).unwrap();
        symlink("audit.jsonl", &link).unwrap();
        symlink(folder.path(), &folder_link).unwrap();
        fs::hard_link(&path, &hard).unwrap();
        let spelling = folder.path().join("inside/../audit.jsonl");
        let all = [&path, &other, &link, &folder_link.join("audit.jsonl"), &hard, &spelling].map(Clone::clone);
        for first in &all {
            // A hard link is another log if the log has several files: its next file has another name.
            if max_file_bytes > 0 && *first == hard {
                continue;
            }
            let audit = Audit::new(config(first).max_file_bytes(max_file_bytes)).unwrap();
            refused(first, &all);
            // Without the file of the lock, too.
            let _ = fs::remove_file(folder.path().join("audit.jsonl.lock"));
            refused(first, &all[..1]);
            let _ = fs::remove_file(folder.path().join("audit.jsonl.lock"));
            refused(first, slice::from_ref(&hard));
            runtime().block_on(call(&audit, "b"));
            runtime().block_on(audit.close()).unwrap();
            drop(audit);
            verify(first).unwrap();
        }
        verify(&path).unwrap();
        for made in [other, link, folder_link, hard] {
            fs::remove_file(made).unwrap();
        }
    }
}

/// The writer keeps the first file when it continues in another one.
#[test]
fn the_first_file_keeps_its_writer() {
    let folder = tempfile::tempdir().unwrap();
    let (path, hard) = (folder.path().join("audit.jsonl"), folder.path().join("hard.jsonl"));
    let audit = Audit::new(config(&path).max_file_bytes(1)).unwrap();
    runtime().block_on(async {
        call(&audit, "a").await;
        audit.flush().await.unwrap();
    });
    assert!(folder.path().join("audit.1.jsonl").exists());
    fs::hard_link(&path, &hard).unwrap();
    refused(&path, slice::from_ref(&hard));
}

/// A log that is opened through a link is at the place to which the link leads. Its further files too.
#[test]
fn a_log_behind_a_link_continues_beside_its_first_file() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("audit.jsonl"), folder.path().join("link.jsonl"));
    fs::write(&path, "").unwrap();
    symlink(&path, &link).unwrap();
    write_log(config(&link).max_file_bytes(1), &link, &["a", "b"]);
    assert!(folder.path().join("audit.1.jsonl").exists() && !folder.path().join("link.1.jsonl").exists());
    assert_eq!(verify(&link).unwrap(), verify(&path).unwrap());
    fs::remove_file(&path).unwrap();
    let error = Audit::new(config(&link)).unwrap_err().to_string();
    assert!(error.ends_with("it is a symbolic link to a file that does not exist"), "{error}");
}

/// A link that leads to another file now is a replaced log.
#[test]
fn a_link_that_changes_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("audit.jsonl"), folder.path().join("link.jsonl"));
    fs::write(&path, "").unwrap();
    fs::write(folder.path().join("other"), "").unwrap();
    symlink(&path, &link).unwrap();
    runtime().block_on(async {
        let audit = Audit::new(config(&link)).unwrap();
        call(&audit, "a").await;
        audit.flush().await.unwrap();
        fs::remove_file(&link).unwrap();
        symlink(folder.path().join("other"), &link).unwrap();
        assert!(audit.flush().await.unwrap_err().to_string().contains("replaced"));
    });
}

/// Runs a function in a thread. Panics if it hangs.
fn at_once<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(run()));
    receiver.recv_timeout(Duration::from_secs(20)).expect("the function hangs")
}

/// A log is a regular file. Everything else is an error at once, for the lock, the key and the check too.
#[test]
fn what_is_not_a_file_is_an_error_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").args([place("pipe"), place("log.lock")]).status().unwrap().success());
    fs::create_dir(place("folder")).unwrap();
    let _socket = UnixListener::bind(place("socket")).unwrap();
    symlink("/dev/zero", place("link")).unwrap();
    let table = [
        (place("pipe"), "it is a pipe, not a regular file"),
        (place("folder"), "it is a directory, not a regular file"),
        (place("socket"), "it is a socket, not a regular file"),
        (place("link"), "it is a device, not a regular file"),
        ("/dev/null".into(), "it is a device, not a regular file"),
        (place("log"), "it is a pipe, not a regular file"),
    ];
    for (path, expected) in table {
        let log = path.clone();
        let error = at_once(move || Audit::new(config(&log)).map(drop).unwrap_err().to_string());
        assert!(error.ends_with(expected), "{}: {error}", path.display());
        if path == place("log") {
            continue;
        }
        assert!(!path.with_extension("lock").exists());
        let (log, key) = (path.clone(), path.clone());
        let error = at_once(move || Verify::new().log(&log).unwrap_err().to_string());
        assert!(error.ends_with(expected), "{}: {error}", path.display());
        let signed = config(&place("signed")).key_file(key);
        let error = at_once(move || Audit::new(signed).map(drop).unwrap_err().to_string());
        assert!(error.ends_with(expected), "{}: {error}", path.display());
    }
}

/// Standard output of a process whose output is a pipe.
#[test]
fn standard_output_is_not_a_log() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "replaced::child", "--nocapture"])
        .env("EXO_RAILS_TEST_STDOUT", "1")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && error.contains("it is a pipe, not a regular file"), "{error}");
}

/// Does nothing, unless another test starts it in a process of its own.
#[test]
fn child() {
    if std::env::var("EXO_RAILS_TEST_STDOUT").is_err() {
        return;
    }
    let error = Audit::new(config(Path::new("/dev/stdout"))).map(drop).unwrap_err();
    assert!(!Path::new("/dev/stdout.lock").exists());
    assert_eq!(std::io::Write::write_all(&mut std::io::stderr(), error.to_string().as_bytes()).ok(), Some(()));
}
