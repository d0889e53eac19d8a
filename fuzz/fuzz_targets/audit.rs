//! Audit logs that somebody has changed, logs that somebody has made without the key, and bytes that are no log.

#![no_main]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use arbitrary::Arbitrary;
use exo_rails::NoRails;
use exo_rails::prelude::*;
use exo_rails_fuzz::within;
use exo_rails_guards::audit::{Audit, AuditKey, Head, Verified, Verify, VerifyError};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

/// The memory of a check, in bytes. It does not depend on the length of the log.
const MEMORY: usize = 1 << 20;

#[derive(Arbitrary, Debug)]
enum Input<'a> {
    Changed { log: u8, changes: Vec<Change<'a>> },
    Forged(Vec<Forged<'a>>),
    Bytes(&'a [u8]),
}

/// A change of a log. The numbers are places in the log or in the list of its lines.
#[derive(Arbitrary, Debug)]
enum Change<'a> {
    Set(u16, u8),
    Insert(u16, &'a [u8]),
    Remove(u16, u8),
    Cut(u16),
    CutFront(u16),
    RemoveLine(u8),
    SwapLines(u8, u8),
    RepeatLine(u8, u8),
    LineOfOther { log: u8, from: u8, to: u8 },
    EndOfOther { log: u8, from: u8 },
}

/// A line with a right hash.
#[derive(Arbitrary, Debug)]
struct Forged<'a> {
    /// How far the number is from the next one. Mostly 0.
    skip: u8,
    is_chained: bool,
    at: u64,
    kind: u8,
    other_kind: &'a str,
    value: u8,
    other_value: &'a str,
    has_newline: bool,
}

struct Log {
    bytes: Vec<u8>,
    head: Head,
    is_signed: bool,
}

static KEY: LazyLock<AuditKey> = LazyLock::new(|| AuditKey::from_seed(&[7; 32]));

/// Logs of one session, of two sessions, of two sessions with an unfinished line between them, and of another log.
static LOGS: LazyLock<Vec<Log>> = LazyLock::new(|| {
    let make = |number: usize| {
        let folder = std::env::temp_dir().join(format!("exo-rails-fuzz-audit-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for a log");
        let log = log(&folder.join("audit.jsonl"), number % 4, number >= 4);
        fs::remove_dir_all(&folder).expect("the folder is removed");
        log
    };
    (0..8).map(make).collect()
});

fn log(path: &Path, shape: usize, is_signed: bool) -> Log {
    session(path, is_signed);
    if shape == 2 {
        let bytes = fs::read(path).expect("a log");
        fs::write(path, &bytes[..bytes.len() - 180]).expect("a log");
    }
    if shape == 1 || shape == 2 {
        session(path, is_signed);
    }
    let bytes = fs::read(path).expect("a log");
    let head = verify(is_signed).reader(&bytes[..]).expect("the log has no change").head;
    Log { bytes, head, is_signed }
}

/// Opens the log, and records three tool calls.
fn session(path: &Path, is_signed: bool) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let config = Audit::builder().path(path).seal_every(2).sync(false);
        let audit = if is_signed { Audit::with_key(config, KEY.clone()) } else { Audit::new(config) };
        let audit = audit.expect("the log opens");
        let rails = audit.wrap(NoRails);
        for tool in ["search", "refund", "search"] {
            let mut call = ToolCallInputs::new(tool);
            let decision = rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("desk")).await;
            assert!(decision.expect("no fault").is_continue());
        }
        audit.close().await.expect("the log is written");
    });
}

fn verify(with_key: bool) -> Verify {
    if with_key { Verify::new().key(KEY.public()) } else { Verify::new() }
}

/// Checks a log in bounded memory.
fn check(verify: &Verify, log: &[u8]) -> Result<Verified, VerifyError> {
    within(MEMORY, || verify.reader(log))
}

fn lines(log: &[u8]) -> Vec<&[u8]> {
    log.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns the part of `bytes` up to its last newline.
fn complete(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    &bytes[..end.map_or(0, |end| end + 1)]
}

fn change(log: &mut Vec<u8>, change: &Change<'_>) {
    let len = log.len();
    if len == 0 {
        return;
    }
    let place = |place: u16| usize::from(place) % len;
    let all: Vec<Vec<u8>> = lines(log).into_iter().map(<[u8]>::to_vec).collect();
    let line = |number: u8| usize::from(number) % all.len();
    match *change {
        Change::Set(at, byte) => log[place(at)] = byte,
        Change::Insert(at, bytes) => drop(log.splice(place(at)..place(at), bytes.iter().copied())),
        Change::Remove(at, count) => drop(log.drain(place(at)..(place(at) + usize::from(count)).min(len))),
        Change::Cut(at) => log.truncate(place(at)),
        Change::CutFront(at) => drop(log.drain(..place(at))),
        Change::RemoveLine(number) => {
            let mut all = all.clone();
            all.remove(line(number));
            *log = all.concat();
        }
        Change::SwapLines(one, other) => {
            let mut swapped = all.clone();
            swapped.swap(line(one), line(other));
            *log = swapped.concat();
        }
        Change::RepeatLine(from, to) => {
            let mut more = all.clone();
            more.insert(line(to), all[line(from)].clone());
            *log = more.concat();
        }
        Change::LineOfOther { log: other, from, to } => {
            let other = lines(&LOGS[usize::from(other) % LOGS.len()].bytes);
            let mut mixed = all.clone();
            mixed[line(to)] = other[usize::from(from) % other.len()].to_vec();
            *log = mixed.concat();
        }
        Change::EndOfOther { log: other, from } => {
            let other = lines(&LOGS[usize::from(other) % LOGS.len()].bytes);
            let from = usize::from(from) % other.len().min(all.len());
            *log = [all[..from].concat(), other[from..].concat()].concat();
        }
    }
}

fn changed(log: &Log, other: &[u8]) {
    // Changes can make another whole log of this one.
    if LOGS.iter().any(|log| log.bytes == other) && log.bytes != other {
        assert!(check(&verify(log.is_signed).expect(log.head), other).is_err(), "another log has the head");
        return;
    }
    let is_same = log.bytes == other;
    for with_key in [false, log.is_signed] {
        let verify = verify(with_key);
        assert_eq!(check(&verify.clone().expect(log.head), other).is_ok(), is_same, "with the head");
        // A cut at an earlier end of some log is found only with the head.
        let last = lines(other).last().copied().unwrap_or_default();
        let is_closed = last.ends_with(b"\n") && last.windows(8).any(|part| part == b"\"close\":");
        let is_beginning = |log: &Log| log.bytes.starts_with(other) && (log.is_signed || !with_key);
        let is_closed_earlier = is_closed && LOGS.iter().any(is_beginning);
        assert_eq!(check(&verify, other).is_ok(), is_same || is_closed_earlier, "without the head");
        // The writer may be at work, so the last line may be unfinished.
        if check(&verify.may_be_open(), other).is_ok() {
            assert!(LOGS.iter().any(|log| log.bytes.starts_with(complete(other))), "a log that may be open");
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes a log whose hashes are right.
fn forged(parts: &[Forged<'_>]) -> Vec<u8> {
    const KINDS: [&str; 8] = ["open", "event", "event", "seal", "close", "lost", "next_file", "file"];
    let values = [
        "{}",
        r#"{"log":"a","format":"exo-rails-audit/1","level":"full","pid":1}"#,
        r#"{"log":"a","torn":{"bytes":1,"sha256":"00"}}"#,
        r#"{"records":18446744073709551615}"#,
        r#"{"number":0,"sig":"00"}"#,
        r#"{"file":18446744073709551615,"log":"a","seals":18446744073709551615}"#,
        r#"{"file":1,"log":"a","seals":0}"#,
    ];
    let (mut log, mut seq, mut prev) = (Vec::new(), 0_u64, hex(&[0; 32]));
    for part in parts {
        let kind = KINDS.get(usize::from(part.kind)).copied().unwrap_or(part.other_kind);
        let value = values.get(usize::from(part.value)).copied().unwrap_or(part.other_value);
        let number = if part.skip < 240 { seq } else { seq.wrapping_sub(u64::from(part.skip - 239)) };
        let before = if part.is_chained || part.skip < 128 { prev.clone() } else { hex(&[1; 32]) };
        let body = format!(r#"{{"seq":{number},"prev":"{before}","at":{},"{kind}":{value}"#, part.at);
        let hash = hex(&Sha256::digest(body.as_bytes()));
        log.extend_from_slice(format!(r#"{body},"hash":"{hash}"}}"#).as_bytes());
        if part.has_newline || part.skip < 200 {
            log.push(b'\n');
        }
        (seq, prev) = (number.wrapping_add(1), hash);
    }
    log
}

fuzz_target!(|input: Input<'_>| {
    match input {
        Input::Changed { log, changes } => {
            let log = &LOGS[usize::from(log) % LOGS.len()];
            let mut other = log.bytes.clone();
            for one in changes.iter().take(8) {
                change(&mut other, one);
            }
            changed(log, &other);
        }
        Input::Forged(parts) => {
            let log = forged(&parts);
            for verify in [verify(false), verify(false).may_be_open(), verify(false).may_begin_later()] {
                let _ = check(&verify, &log);
            }
            // Without the key, nobody makes a log that ends, or a signature.
            assert!(check(&verify(true), &log).is_err());
            if let Ok(open) = check(&verify(true).may_be_open(), &log) {
                assert_eq!(open.signed_up_to, None);
            }
        }
        Input::Bytes(bytes) => {
            for verify in [verify(false), verify(true), verify(true).may_be_open().may_begin_later()] {
                let _ = check(&verify, bytes);
            }
        }
    }
});
