//! The form of a line.
//!
//! ```text
//! {"seq":3,"prev":"…","at":1763000000000,"event":{…},"hash":"…"}
//! ```
//!
//! The hash is the SHA-256 hash of the bytes of the line before `,"hash"`. These bytes have the hash of the line before, so
//! each hash depends on all lines before it.

use std::io::{self, BufRead, Write};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::hash::Hash;
use crate::problem::Problem;

/// The form of the log, in its first line and in signatures.
pub(crate) const FORMAT: &str = "exo-rails-audit/1";

const BEFORE_HASH: &[u8] = br#","hash":""#;
const AFTER_HASH: &[u8] = br#""}"#;
const SUFFIX: usize = BEFORE_HASH.len() + 64 + AFTER_HASH.len();

/// The bytes at the beginning of a line that a reader keeps. All lines that are not records of events are shorter.
const KEPT: usize = 16 * 1024;

/// Appends a line. Returns its hash.
pub(crate) fn write_line(into: &mut Vec<u8>, seq: u64, prev: Hash, at: u64, kind: &str, value: &Value) -> Hash {
    let start = into.len();
    // Writing to a `Vec` cannot fail.
    let _ = write!(into, r#"{{"seq":{seq},"prev":"{prev}","at":{at},"{kind}":{value}"#);
    let hash = Hash::of(into.get(start..).unwrap_or_default());
    let _ = writeln!(into, r#","hash":"{hash}"}}"#);
    hash
}

/// A line as it was read. It needs the same memory for every length.
pub(crate) struct RawLine {
    /// The first bytes.
    head: Vec<u8>,
    /// The last bytes, not yet in `body`.
    tail: Vec<u8>,
    body: Sha256,
    pub(crate) len: u64,
    pub(crate) has_newline: bool,
}

impl RawLine {
    /// Reads the next line. Returns `None` at the end.
    pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = Self { head: Vec::new(), tail: Vec::new(), body: Sha256::new(), len: 0, has_newline: false };
        loop {
            let bytes = match from.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if bytes.is_empty() {
                return Ok((line.len > 0).then_some(line));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let here = end.unwrap_or(bytes.len());
            line.push(&bytes[..here]);
            from.consume(here + usize::from(end.is_some()));
            if end.is_some() {
                line.has_newline = true;
                return Ok(Some(line));
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        let room = KEPT.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend_from_slice(bytes);
        if let Some(before) = self.tail.len().checked_sub(SUFFIX) {
            self.body.update(&self.tail[..before]);
            self.tail.drain(..before);
        }
    }

    /// Returns the hash of the whole line.
    pub(crate) fn whole(&self) -> Hash {
        Hash::end(self.body.clone().chain_update(&self.tail))
    }

    /// Checks the form and the hash.
    pub(crate) fn parse(&self) -> Result<Line<'_>, Problem> {
        let line = self.form().ok_or(Problem::NotALine)?;
        if Hash::end(self.body.clone()) == line.hash { Ok(line) } else { Err(Problem::Edited) }
    }

    fn form(&self) -> Option<Line<'_>> {
        let hash = self.tail.strip_prefix(BEFORE_HASH)?.strip_suffix(AFTER_HASH)?;
        let hash = std::str::from_utf8(hash).ok()?.parse().ok()?;
        let rest = self.head.strip_prefix(br#"{"seq":"#)?;
        let (seq, rest) = number(rest)?;
        let (prev, rest) = rest.strip_prefix(br#","prev":""#)?.split_at_checked(64)?;
        let prev = std::str::from_utf8(prev).ok()?.parse().ok()?;
        let (at, rest) = number(rest.strip_prefix(br#"","at":"#)?)?;
        let rest = rest.strip_prefix(br#",""#)?;
        let end = rest.iter().position(|byte| *byte == b'"')?;
        let kind = std::str::from_utf8(&rest[..end]).ok()?;
        let value = rest[end..].strip_prefix(br#"":"#)?;
        // The value ends with the body, if the kept bytes reach so far.
        let before = self.head.len() - value.len();
        let end = usize::try_from(self.len).ok()?.checked_sub(SUFFIX + before)?;
        Some(Line { seq, prev, at, kind, hash, value: value.get(..end) })
    }
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let end = bytes.iter().position(|byte| !byte.is_ascii_digit())?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?.parse().ok()?, &bytes[end..]))
}

/// The parts of a line.
pub(crate) struct Line<'l> {
    pub(crate) seq: u64,
    pub(crate) prev: Hash,
    pub(crate) at: u64,
    pub(crate) kind: &'l str,
    pub(crate) hash: Hash,
    /// The JSON text. `None` if it is long.
    value: Option<&'l [u8]>,
}

impl Line<'_> {
    pub(crate) fn value(&self) -> Result<Value, Problem> {
        let value = self.value.and_then(|value| serde_json::from_slice(value).ok());
        value.ok_or(Problem::NotALine)
    }
}
