//! What a key adds.

use std::fs;

use exo_rails_audit::{Audit, AuditKey, AuditPublicKey, Problem, Verified, Verify, VerifyError};
use sha2::{Digest, Sha256};

use crate::bench::{call, hex, runtime};

fn signed(calls: usize, seal_every: u64) -> (Vec<u8>, AuditPublicKey) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let key = AuditKey::from_seed(&[5; 32]);
    runtime().block_on(async {
        let audit = Audit::with_key(Audit::builder().path(&path).seal_every(seal_every), key.clone()).unwrap();
        for _ in 0..calls {
            call(&audit, "refund").await;
        }
        audit.close().await.unwrap();
    });
    (fs::read(path).unwrap(), key.public())
}

fn problem(result: Result<Verified, VerifyError>) -> Problem {
    match result.unwrap_err() {
        VerifyError::Log { problem, .. } => problem,
        other => panic!("{other}"),
    }
}

/// Computes all hashes of a log again, as somebody without the key can.
fn forge(log: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(log.to_vec()).unwrap();
    let mut prev = hex(&[0; 32]);
    let mut forged = String::new();
    for line in text.lines() {
        let (body, _) = line.rsplit_once(r#","hash":""#).unwrap();
        let (before, rest) = body.split_once(r#""prev":""#).unwrap();
        let body = format!("{before}\"prev\":\"{prev}{}", &rest[64..]);
        prev = hex(&Sha256::digest(body.as_bytes()));
        forged.extend([&body, ",\"hash\":\"", &prev, "\"}\n"]);
    }
    forged.into_bytes()
}

#[test]
fn a_forged_log_has_no_signature() {
    let (log, key) = signed(6, 3);
    assert_eq!(forge(&log), log, "the forger knows the form");
    let verified = Verify::new().key(key).reader(&log[..]).unwrap();
    assert_eq!(verified.signed_up_to, Some(verified.head.seq()));

    let text = String::from_utf8(log.clone()).unwrap();
    let forged = forge(text.replacen("refund", "search", 1).as_bytes());
    assert!(Verify::new().reader(&forged[..]).is_ok(), "without a key, it looks right");
    assert_eq!(problem(Verify::new().key(key).reader(&forged[..])), Problem::BadSignature);

    // Without its signatures.
    let unsigned: String = text
        .lines()
        .filter(|line| !line.contains(r#""seal":"#))
        .map(|line| {
            let end = line.find(r#""close":"#);
            let line = end.map_or(line.to_owned(), |end| format!("{}\"close\":{{}},\"hash\":\"\"}}", &line[..end]));
            line + "\n"
        })
        .collect();
    assert_eq!(problem(Verify::new().key(key).reader(&renumber(&unsigned)[..])), Problem::NotSigned);
    // A cut before the last seal, with another end.
    let cut = text.lines().take(3).map(|line| line.to_owned() + "\n").collect::<String>();
    assert_eq!(problem(Verify::new().key(key).reader(cut.as_bytes())), Problem::NotClosed);
}

/// Gives the lines the numbers of their places, and forges the hashes.
fn renumber(log: &str) -> Vec<u8> {
    let lines = log.lines().enumerate().map(|(place, line)| {
        let (_, rest) = line.split_once(',').unwrap();
        format!("{{\"seq\":{place},{rest}\n")
    });
    forge(lines.collect::<String>().as_bytes())
}

#[test]
fn a_missing_signature_is_found_by_its_number() {
    let (log, key) = signed(7, 2);
    let text = String::from_utf8(log).unwrap();
    // Removes two signatures, and keeps the others.
    let without = text.lines().filter(|line| !line.contains(r#""number":1"#)).map(|line| line.to_owned() + "\n");
    let found = problem(Verify::new().key(key).reader(&renumber(&without.collect::<String>())[..]));
    assert_eq!(found, Problem::SealNumber { expected: 1, found: 2 });
}

#[test]
fn another_key_does_not_verify_the_log() {
    let (log, _) = signed(2, 1);
    let other = AuditKey::from_seed(&[6; 32]).public();
    assert_eq!(problem(Verify::new().key(other).reader(&log[..])), Problem::BadSignature);
    assert_eq!(other.to_string().parse(), Ok(other));
}

#[test]
fn an_unsigned_log_is_not_enough_for_a_check_with_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    crate::bench::write_log(Audit::builder(), &path, &["a"]);
    assert_eq!(problem(Verify::new().key(AuditKey::from_seed(&[1; 32]).public()).log(&path)), Problem::NotSigned);
}

/// Lines after the last signature can be forged, and the check says where the last signature is.
#[test]
fn the_check_reports_the_last_signed_line() {
    let (log, key) = signed(5, 2);
    let lines: Vec<_> = log.split_inclusive(|byte| *byte == b'\n').collect();
    let open = lines[..lines.len() - 1].concat();
    let verified = Verify::new().key(key).may_be_open().reader(&open[..]).unwrap();
    assert!(verified.signed_up_to < Some(verified.head.seq()) && !verified.is_closed);
}

#[test]
fn a_bad_key_file_is_an_error_without_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    fs::write(&file, "not hexadecimal: secret").unwrap();
    let build = |file: &std::path::Path| Audit::new(Audit::builder().path(folder.path().join("log")).key_file(file));
    let error = build(&file).unwrap_err().to_string();
    assert!(error.ends_with("`key_file`: not a key: write 64 hexadecimal digits"), "{error}");
    assert!(build(&folder.path().join("missing")).unwrap_err().to_string().contains("cannot be read"));
    fs::write(&file, format!("{}\n", hex(&[8; 32]))).unwrap();
    assert!(build(&file).is_ok());
}
