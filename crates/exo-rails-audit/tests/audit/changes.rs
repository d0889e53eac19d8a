//! Every change of a log is found.

use std::fs;
use std::path::Path;

use exo_rails_audit::{Audit, AuditKey, Head, Problem, Verified, Verify, VerifyError, verify};
use proptest::prelude::*;

use crate::bench::{call, runtime, write_log};

/// The bytes of a log with these calls in each of its sessions. It is signed if there is a key.
fn log(key: Option<&AuditKey>, sessions: &[&[&str]]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    for calls in sessions {
        let config = Audit::builder().path(&path).seal_every(2).sync(false);
        runtime().block_on(async {
            let audit = match key {
                Some(key) => Audit::with_key(config, key.clone()).unwrap(),
                None => Audit::new(config).unwrap(),
            };
            for name in *calls {
                call(&audit, name).await;
            }
            audit.close().await.unwrap();
        });
    }
    fs::read(path).unwrap()
}

fn key(seed: u8) -> AuditKey {
    AuditKey::from_seed(&[seed; 32])
}

fn check(log: &[u8]) -> Result<Verified, VerifyError> {
    Verify::new().reader(log)
}

fn problem(result: Result<Verified, VerifyError>) -> (u64, Problem) {
    match result.unwrap_err() {
        VerifyError::Log { line, problem, .. } => (line, problem),
        other => panic!("{other}"),
    }
}

fn lines(log: &[u8]) -> Vec<&[u8]> {
    log.split_inclusive(|byte| *byte == b'\n').collect()
}

#[test]
fn an_unchanged_log_passes_the_check() {
    let verified = check(&log(None, &[&["a", "b"], &["c"]])).unwrap();
    assert_eq!((verified.lines, verified.events, verified.lost), (7, 3, 0));
    assert_eq!((verified.is_closed, verified.interruptions, verified.head.seq()), (true, 0, 6));
}

/// Every byte of a small log, changed in several bits and to bytes with a meaning, removed, repeated, and cut.
#[test]
fn a_change_of_any_byte_is_found() {
    for log in [log(None, &[&["a"], &["b"]]), log(Some(&key(1)), &[&["a", "b", "c"]])] {
        let head = check(&log).unwrap().head;
        for place in 0..log.len() {
            let byte = log[place];
            let others = [0, 2, 5, 7].map(|bit| byte ^ 1 << bit).into_iter().chain(*b"\n\"0");
            for other in others.filter(|other| *other != byte) {
                let mut changed = log.clone();
                changed[place] = other;
                assert!(check(&changed).is_err(), "byte {place} became {other}");
            }
            let mut removed = log.clone();
            removed.remove(place);
            assert!(check(&removed).is_err(), "byte {place} was removed");
            for more in [byte, b'\n', b' '] {
                let mut longer = log.clone();
                longer.insert(place, more);
                assert!(check(&longer).is_err(), "byte {more} was inserted at {place}");
            }
            // A cut, also one that the check would accept because the log had been closed there.
            assert!(Verify::new().expect(head).reader(&log[..place]).is_err(), "cut at byte {place}");
        }
        for more in ["\n", " ", "{}", "{}\n"] {
            assert!(check(&[&log[..], more.as_bytes()].concat()).is_err(), "{more:?} at the end");
        }
    }
}

/// Without an expected head, a check finds every cut but those at the end of an earlier session.
#[test]
fn a_cut_is_found_unless_the_log_was_closed_there() {
    for key in [None, Some(&key(1))] {
        let log = log(key, &[&["a"], &["b", "c"]]);
        let accepted: Vec<_> = (0..log.len()).filter(|end| check(&log[..*end]).is_ok()).collect();
        let first = lines(&log).iter().position(|line| line.windows(8).any(|text| text == b"\"close\":")).unwrap();
        let end = lines(&log)[..=first].iter().map(|line| line.len()).sum::<usize>();
        assert_eq!(accepted, [end]);
    }
}

#[test]
fn moved_lines_are_found() {
    let log = log(None, &[&["a", "b", "c", "d"]]);
    let all = lines(&log);
    let wrong = |order: &[usize]| problem(check(&order.iter().map(|line| all[*line]).collect::<Vec<_>>().concat()));
    assert_eq!(wrong(&[0, 1, 3, 4, 5]), (3, Problem::Missing { expected: 2, found: 3 }));
    assert_eq!(wrong(&[0, 1, 3, 2, 4, 5]), (3, Problem::Missing { expected: 2, found: 3 }));
    assert_eq!(wrong(&[0, 1, 1, 2, 3, 4, 5]), (3, Problem::Repeated { expected: 2, found: 1 }));
    assert_eq!(wrong(&[0, 1, 2, 3, 4]), (5, Problem::NotClosed));
    assert_eq!(wrong(&[0, 1, 2, 3, 4, 5, 5]), (7, Problem::Repeated { expected: 6, found: 5 }));
    assert_eq!(wrong(&[1, 2, 3, 4, 5]), (1, Problem::NoBeginning));
    assert_eq!(wrong(&[]), (0, Problem::Empty));
    for place in 1..all.len() {
        for other in 1..all.len() {
            let mut moved = all.clone();
            moved.swap(place, other);
            assert_eq!(check(&moved.concat()).is_ok(), place == other, "{place} and {other}");
        }
    }
}

/// Every line of one log in the place of the same line of another log with the same key.
#[test]
fn lines_of_two_logs_do_not_mix() {
    let key = key(3);
    let (one, other) = (log(Some(&key), &[&["a", "b", "c"]]), log(Some(&key), &[&["a", "b", "c"]]));
    let (one, other) = (lines(&one), lines(&other));
    let verify = Verify::new().key(key.public());
    assert_eq!(one.len(), other.len());
    for place in 0..one.len() {
        let mut mixed = one.clone();
        mixed[place] = other[place];
        assert!(verify.reader(&mixed.concat()[..]).is_err(), "line {place}");
        // The end of the other log.
        let mixed = [&one[..place], &other[place..]].concat().concat();
        assert_eq!(verify.reader(&mixed[..]).is_ok(), place == 0, "from line {place}");
    }
}

#[test]
fn an_edited_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    write_log(Audit::builder(), &path, &["search", "refund", "search"]);
    let text = fs::read_to_string(&path).unwrap().replace("refund", "lookup");
    fs::write(&path, text).unwrap();
    let error = verify(&path).unwrap_err();
    let place = path.display();
    assert_eq!(error.to_string(), format!("{place}: line 3: the line has been changed: its hash is another one"));
}

#[test]
fn a_log_that_does_not_exist_cannot_be_read() {
    let error = verify(Path::new("no such folder/audit.jsonl")).unwrap_err();
    assert!(matches!(error, VerifyError::Read { .. }), "{error}");
    assert!(Verify::new().log("no-such-file").is_err());
}

#[test]
fn the_head_of_another_log_is_refused() {
    let (one, other) = (log(None, &[&["a"]]), log(None, &[&["b"]]));
    let head: Head = check(&other).unwrap().head;
    let found = problem(Verify::new().expect(head).reader(&one[..]));
    assert_eq!(found, (3, Problem::OtherHead { expected: head }));
    // A log may be longer than the head.
    let early = Verify::new().may_be_open().reader(&lines(&one)[..2].concat()[..]).unwrap().head;
    assert!(Verify::new().expect(early).reader(&one[..]).is_ok());
}

fn changed_logs() -> impl Strategy<Value = (Vec<String>, prop::sample::Index, u8)> {
    let names = prop::collection::vec("[ -~\\n\u{e9}]{0,200}", 1..60);
    (names, any::<prop::sample::Index>(), 1..=u8::MAX)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// A random byte of a random log is changed, and the log is cut there.
    #[test]
    fn a_changed_byte_or_a_cut_is_found((names, place, flip) in changed_logs()) {
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let log = log(Some(&key(9)), &[&names]);
        let verified = check(&log).unwrap();
        prop_assert_eq!(verified.events, names.len() as u64);
        let place = place.index(log.len());
        let mut changed = log.clone();
        changed[place] ^= flip;
        prop_assert!(check(&changed).is_err());
        prop_assert!(check(&log[..place]).is_err());
    }
}
