//! Writers that are killed in the middle of a line.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use exo_rails_audit::{Audit, Problem, Verified, Verify, VerifyError, verify};

use crate::bench::{call, lines, newlines, runtime, write_log};

const LOG: &str = "EXO_RAILS_TEST_AUDIT";

/// Does nothing, unless another test starts it in a process of its own.
#[test]
fn child() {
    let Ok(path) = std::env::var(LOG) else { return };
    runtime().block_on(async {
        let audit = Audit::new(Audit::builder().path(path).sync(false).max_file_bytes(20_000)).unwrap();
        println!("started");
        loop {
            call(&audit, &"long name ".repeat(50)).await;
        }
    });
}

/// Does nothing, unless another test starts it in a process of its own.
#[test]
fn child_with_small_files() {
    let Ok(path) = std::env::var(LOG) else { return };
    runtime().block_on(async {
        let audit = Audit::new(Audit::builder().path(path).sync(false).max_file_bytes(1)).unwrap();
        println!("started");
        loop {
            call(&audit, "a").await;
            audit.flush().await.unwrap();
        }
    });
}

/// Kills a process whose every line begins a file. The log is whole after each kill, before anybody opens it again.
#[test]
fn a_log_is_whole_after_a_kill_between_files() {
    let (mut between, mut kills) = (0, 0);
    while kills < 30 || (between == 0 && kills < 300) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        kill("kills::child_with_small_files", &path, Duration::from_millis(kills % 10));
        kills += 1;
        let verified = Verify::new().may_be_open().log(&path).unwrap();
        assert!(!verified.is_closed);
        between += u32::from(verified.is_between_files);
        let error = verify(&path).unwrap_err();
        let is_unfinished = matches!(
            &error,
            VerifyError::Log {
                problem: Problem::NotClosed
                    | Problem::Torn
                    | Problem::FileMissing { .. }
                    | Problem::FileNotBegun { .. },
                ..
            }
        );
        assert!(is_unfinished, "{error}");
        write_log(Audit::builder().sync(false), &path, &["last"]);
        assert!(check(&path).is_closed);
    }
    assert!(between > 0, "no kill was between two files");
}

/// Starts a test in a process of its own, and kills it.
fn kill(test: &str, path: &Path, after: Duration) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(LOG, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(output.any(|line| line.unwrap().contains("started")), "the child has not started");
    thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Kills a process that writes, again and again. Each one continues the log of the one before.
#[test]
fn a_log_survives_kills() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    for number in 0..20 {
        kill("kills::child", &path, Duration::from_millis(number * 3));
    }
    write_log(Audit::builder(), &path, &["last"]);
    let verified = verify(&path).unwrap();
    assert_eq!(verified.interruptions, 20);
    assert!(verified.events > 1 && verified.is_closed);
}

fn check(path: &Path) -> Verified {
    verify(path).unwrap()
}

/// A log that was cut at each of its bytes is continued, and the piece stays.
#[test]
fn a_log_is_continued_after_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    write_log(Audit::builder(), &path, &["a", "b"]);
    let whole = fs::read(&path).unwrap();
    for end in 0..=whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        write_log(Audit::builder().sync(false), &path, &["c"]);
        let log = fs::read(&path).unwrap();
        assert!(log.starts_with(&whole[..end]), "the log is append-only");
        let verified = check(&path);
        let complete = newlines(&whole[..end]);
        let is_torn = end > 0 && whole[end - 1] != b'\n' && whole[end] != b'\n';
        // Without the newline, a line is complete too.
        let complete = complete + usize::from(end < whole.len() && end > 0 && whole[end] == b'\n');
        assert_eq!(verified.lines, (complete + usize::from(is_torn) + 3) as u64, "cut at byte {end}");
        assert_eq!(verified.interruptions, u64::from(end > 0 && complete < 4), "cut at byte {end}");
        let torn = lines(&log).iter().filter(|line| line["open"]["torn"].is_object()).count();
        assert_eq!(torn, usize::from(is_torn), "cut at byte {end}");
    }
}

/// The piece of an unfinished line is a part of the log: a change of it is found.
#[test]
fn a_change_in_an_unfinished_line_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    write_log(Audit::builder(), &path, &["a", "b"]);
    let whole = fs::read(&path).unwrap();
    let second = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    fs::write(&path, &whole[..second + 40]).unwrap();
    write_log(Audit::builder(), &path, &["c"]);
    let log = fs::read(&path).unwrap();
    assert_eq!(check(&path).interruptions, 1);
    for place in second..=second + 40 {
        let mut changed = log.clone();
        changed[place] ^= 1;
        assert!(Verify::new().reader(&changed[..]).is_err(), "byte {place}");
        let mut removed = log.clone();
        removed.remove(place);
        assert!(Verify::new().reader(&removed[..]).is_err(), "without byte {place}");
    }
    let without = [&log[..second], &log[second + 41..]].concat();
    let error = Verify::new().reader(&without[..]).unwrap_err();
    assert!(matches!(error, VerifyError::Log { line: 2, problem: Problem::TornChanged, .. }), "{error}");
}

#[test]
fn a_damaged_log_is_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    write_log(Audit::builder(), &path, &["a", "b"]);
    let log = fs::read_to_string(&path).unwrap().replacen("pre_tool_call", "pre_tool_cull", 1);
    fs::write(&path, log).unwrap();
    let error = Audit::new(Audit::builder().path(&path)).unwrap_err().to_string();
    let expected = "is damaged at line 2 (the line has been changed: its hash is another one): move the log away to begin a new one";
    assert!(error.ends_with(expected), "{error}");
}

/// A log that is still open has no end.
#[test]
fn the_check_reports_that_an_open_log_is_not_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    runtime().block_on(async {
        let audit = Audit::new(Audit::builder().path(&path)).unwrap();
        call(&audit, "a").await;
        let head = audit.flush().await.unwrap();
        let error = verify(&path).unwrap_err();
        assert!(matches!(error, VerifyError::Log { line: 2, problem: Problem::NotClosed, .. }), "{error}");
        let verified = Verify::new().may_be_open().expect(head).log(&path).unwrap();
        assert!(!verified.is_closed && verified.head == head);
    });
    assert!(check(&path).is_closed, "dropping the audit ends the log");
}
