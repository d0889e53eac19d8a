//! Logs in several files.

use std::fs;
use std::path::PathBuf;

use exo_rails_audit::{Audit, AuditKey, Problem, Verified, Verify, VerifyError, verify};

use crate::bench::{call, runtime, write_log};

fn log(folder: &tempfile::TempDir) -> (PathBuf, Vec<PathBuf>) {
    let path = folder.path().join("audit.jsonl");
    for _ in 0..3 {
        write_log(Audit::builder().max_file_bytes(1_500).sync(false), &path, &["a", "b", "c", "d", "e"]);
    }
    let later =
        (1..).map(|number| folder.path().join(format!("audit.{number}.jsonl"))).take_while(|file| file.exists());
    let files: Vec<_> = [path.clone()].into_iter().chain(later).collect();
    assert!(files.len() > 3, "{files:?}");
    (path, files)
}

fn problem(result: Result<Verified, VerifyError>) -> Problem {
    match result.unwrap_err() {
        VerifyError::Log { problem, .. } => problem,
        other => panic!("{other}"),
    }
}

#[test]
fn the_chain_continues_across_files() {
    let folder = tempfile::tempdir().unwrap();
    let (path, files) = log(&folder);
    let verified = verify(&path).unwrap();
    assert_eq!((verified.events, verified.interruptions, verified.is_closed), (15, 0, true));
    for file in &files[..files.len() - 1] {
        let len = fs::metadata(file).unwrap().len();
        assert!((1_500..3_500).contains(&len), "{len}");
    }
    let all: Vec<_> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    assert_eq!(Verify::new().reader(&all.concat()[..]).unwrap(), verified);
    assert_eq!(Verify::new().files(&files).unwrap(), verified);
}

#[test]
fn a_missing_or_moved_file_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (path, files) = log(&folder);
    let last = files.len() - 1;
    let check = |order: &[usize]| Verify::new().files(order.iter().map(|file| &files[*file]));
    assert_eq!(problem(check(&(0..last).collect::<Vec<_>>())), Problem::FileMissing { number: last as u64 });
    assert_eq!(problem(check(&(1..=last).collect::<Vec<_>>())), Problem::NoBeginning);
    assert!(matches!(problem(check(&[0, 2])), Problem::Missing { .. }));
    assert!(check(&[0, 2, 1]).is_err() && check(&[0, 0]).is_err());
    let later = Verify::new().may_begin_later().files(&files[1..]).unwrap();
    assert_eq!(later.head, verify(&path).unwrap().head);

    // The files that were archived are not needed to continue.
    fs::remove_file(&files[0]).unwrap();
    write_log(Audit::builder(), &path, &["f"]);
    assert_eq!(problem(verify(&path)), Problem::NoBeginning);
    assert_eq!(Verify::new().may_begin_later().log(&path).unwrap().events, later.events + 1);
}

/// A log whose writer was killed at each byte of the change to the next file.
#[test]
fn the_change_to_the_next_file_survives_kills() {
    let folder = tempfile::tempdir().unwrap();
    let (path, files) = log(&folder);
    let contents: Vec<_> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    for file in &files[2..] {
        fs::remove_file(file).unwrap();
    }
    let first_line = contents[1].iter().position(|byte| *byte == b'\n').unwrap() + 2;
    for end in 0..first_line {
        fs::write(&files[1], &contents[1][..end]).unwrap();
        let is_whole = contents[1][..end].contains(&b'\n');
        let expected = match contents[1][..end].last() {
            _ if !is_whole => Problem::FileNotBegun { number: 1 },
            Some(b'\n') => Problem::NotClosed,
            _ => Problem::Torn,
        };
        assert_eq!(problem(verify(&path)), expected, "file 1 ends at byte {end}");
        let open = Verify::new().may_be_open().log(&path).unwrap();
        assert_eq!((open.is_between_files, open.is_closed), (!is_whole, false), "file 1 ends at byte {end}");
        write_log(Audit::builder().sync(false), &path, &["x"]);
        verify(&path).unwrap_or_else(|error| panic!("file 1 ends at byte {end}: {error}"));
    }
    // Without the next file at all.
    fs::remove_file(&files[1]).unwrap();
    assert_eq!(problem(verify(&path)), Problem::FileMissing { number: 1 });
    assert!(Verify::new().may_be_open().log(&path).unwrap().is_between_files);
    write_log(Audit::builder(), &path, &["x"]);
    let verified = verify(&path).unwrap();
    assert!(verified.is_closed && !verified.is_between_files);
    // In the line before.
    fs::remove_file(&files[1]).unwrap();
    let len = contents[0].len();
    for end in len - 150..len {
        fs::write(&path, &contents[0][..end]).unwrap();
        let _ = fs::remove_file(&files[1]);
        assert_eq!(problem(verify(&path)), Problem::Torn, "file 0 ends at byte {end}");
        assert!(!Verify::new().may_be_open().log(&path).unwrap().is_between_files);
        write_log(Audit::builder().sync(false), &path, &["x"]);
        verify(&path).unwrap_or_else(|error| panic!("file 0 ends at byte {end}: {error}"));
    }
}

/// Each session begins in a file that is full already.
#[test]
fn full_files_are_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    for session in 1..=5 {
        write_log(Audit::builder().max_file_bytes(1).sync(false), &path, &["a", "b"]);
        let verified = verify(&path).unwrap();
        assert_eq!((verified.events, verified.interruptions), (session * 2, 0));
    }
}

#[test]
fn the_end_of_a_file_is_signed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let key = AuditKey::from_seed(&[4; 32]);
    runtime().block_on(async {
        let config = Audit::builder().path(&path).max_file_bytes(2_000);
        let audit = Audit::with_key(config, key.clone()).unwrap();
        for _ in 0..10 {
            call(&audit, "a").await;
        }
        audit.close().await.unwrap();
    });
    let verified = Verify::new().key(key.public()).log(&path).unwrap();
    assert_eq!(verified.signed_up_to, Some(verified.head.seq()));
    assert!(fs::read_to_string(&path).unwrap().lines().last().unwrap().contains("next_file\":{\"number\":0,\"sig\":"));
}
