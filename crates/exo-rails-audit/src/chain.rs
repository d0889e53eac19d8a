//! The chain of lines, as a reader follows it.

use serde_json::Value;

use crate::hash::Hash;
use crate::head::Head;
use crate::line::{Line, RawLine};
use crate::problem::Problem;
use crate::seal::{Keys, Signed};

/// The position of a reader in a log, with what it has read so far.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    pub(crate) keys: Keys,
    pub(crate) expected: Option<Head>,
    /// Whether the first line may be the first line of a later file.
    pub(crate) may_begin_later: bool,
    pub(crate) head: Option<Head>,
    pub(crate) log: String,
    pub(crate) state: State,
    /// The number of the file.
    pub(crate) file: u64,
    /// The number of signatures.
    pub(crate) seals: u64,
    pub(crate) signed_up_to: Option<u64>,
    pub(crate) events: u64,
    pub(crate) lost: u64,
    pub(crate) interruptions: u64,
    /// A line that is wrong, unless the next line says that it was not written to its end.
    unfinished: Option<(Unfinished, Problem)>,
}

/// What may come next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Empty,
    Open,
    Closed,
    /// The log continues in the next file.
    FileEnded,
}

/// A line that was not written to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unfinished {
    pub(crate) bytes: u64,
    pub(crate) hash: Hash,
}

impl Unfinished {
    pub(crate) fn of(line: &RawLine) -> Self {
        Self { bytes: line.len, hash: line.whole() }
    }

    pub(crate) fn to_json(self) -> Value {
        serde_json::json!({ "bytes": self.bytes, "sha256": self.hash.to_string() })
    }

    fn from_json(value: &Value) -> Option<Self> {
        Some(Self { bytes: value["bytes"].as_u64()?, hash: value["sha256"].as_str()?.parse().ok()? })
    }
}

impl Chain {
    pub(crate) fn next_seq(&self) -> u64 {
        self.head.map_or(0, |head| head.seq + 1)
    }

    pub(crate) fn prev(&self) -> Hash {
        self.head.map_or(Hash::default(), |head| head.hash)
    }

    /// Follows the chain over a line that ends with a newline. An error has the number of lines between this line and the
    /// wrong one.
    pub(crate) fn follow(&mut self, raw: &RawLine) -> Result<(), (u64, Problem)> {
        if let Some((_, problem)) = &self.unfinished
            && !raw
                .parse()
                .is_ok_and(|line| line.kind == "open" && line.value().is_ok_and(|value| value["torn"].is_object()))
        {
            return Err((1, problem.clone()));
        }
        match self.accept(raw) {
            Err(problem @ (Problem::NotALine | Problem::Edited)) if self.unfinished.is_none() => {
                self.unfinished = Some((Unfinished::of(raw), problem));
                Ok(())
            }
            other => other.map_err(|problem| (0, problem)),
        }
    }

    /// Ends a file.
    pub(crate) fn end_file(&mut self) -> Result<(), Problem> {
        match self.unfinished.take() {
            Some((_, problem)) => Err(problem),
            None => Ok(()),
        }
    }

    /// Follows the chain over a line. Changes nothing if the line is wrong.
    pub(crate) fn accept(&mut self, raw: &RawLine) -> Result<(), Problem> {
        let line = raw.parse()?;
        let begins = self.head.is_none();
        if begins && !self.may_begin(&line) {
            return Err(Problem::NoBeginning);
        }
        if !(begins && self.may_begin_later) {
            let (expected, found) = (self.next_seq(), line.seq);
            if found > expected {
                return Err(Problem::Missing { expected, found });
            }
            if found < expected {
                return Err(Problem::Repeated { expected, found });
            }
            if line.prev != self.prev() {
                return Err(Problem::NotChained);
            }
        }
        if let Some(expected) = self.expected.filter(|expected| expected.seq == line.seq)
            && expected.hash != line.hash
        {
            return Err(Problem::OtherHead { expected });
        }
        self.accept_kind(&line, begins)?;
        self.head = Some(Head { seq: line.seq, hash: line.hash });
        Ok(())
    }

    fn may_begin(&self, line: &Line<'_>) -> bool {
        match line.kind {
            "open" => line.seq == 0 && line.prev == Hash::default(),
            "file" => self.may_begin_later,
            _ => false,
        }
    }

    fn accept_kind(&mut self, line: &Line<'_>, begins: bool) -> Result<(), Problem> {
        let is_open = self.state == State::Open;
        match line.kind {
            "event" if is_open => self.events += 1,
            "lost" if is_open => {
                let records = line.value()?["records"].as_u64().ok_or(Problem::NotALine)?;
                self.lost = self.lost.saturating_add(records);
            }
            "open" if self.state != State::FileEnded => self.accept_open(&line.value()?, begins)?,
            "seal" | "close" if is_open => {
                self.check_signature(line, line.kind == "seal")?;
                self.state = if line.kind == "close" { State::Closed } else { State::Open };
            }
            "next_file" if is_open => {
                self.check_signature(line, false)?;
                self.state = State::FileEnded;
            }
            "file" if self.state == State::FileEnded || begins => self.accept_file(&line.value()?, begins)?,
            kind => return Err(Problem::OutOfPlace { kind: kind.to_owned() }),
        }
        Ok(())
    }

    fn accept_open(&mut self, value: &Value, begins: bool) -> Result<(), Problem> {
        let log = value["log"].as_str().ok_or(Problem::NotALine)?;
        if !begins && log != self.log {
            return Err(Problem::NotChained);
        }
        let torn = value.get("torn").map(|torn| Unfinished::from_json(torn).ok_or(Problem::NotALine)).transpose()?;
        if torn != self.unfinished.as_ref().map(|(unfinished, _)| *unfinished) {
            return Err(Problem::TornChanged);
        }
        self.unfinished = None;
        self.interruptions += u64::from(self.state == State::Open || torn.is_some());
        log.clone_into(&mut self.log);
        self.state = State::Open;
        Ok(())
    }

    fn accept_file(&mut self, value: &Value, begins: bool) -> Result<(), Problem> {
        let part = |name: &str| value[name].as_u64().ok_or(Problem::NotALine);
        let (file, seals) = (part("file")?, part("seals")?);
        let log = value["log"].as_str().ok_or(Problem::NotALine)?;
        if !begins && (file != self.file + 1 || log != self.log || seals != self.seals) {
            return Err(Problem::NotChained);
        }
        log.clone_into(&mut self.log);
        (self.file, self.seals, self.state) = (file, seals, State::Open);
        Ok(())
    }

    fn check_signature(&mut self, line: &Line<'_>, must_be_signed: bool) -> Result<(), Problem> {
        let value = line.value()?;
        let (Some(found), Some(signature)) = (value["number"].as_u64(), value["sig"].as_str()) else {
            let is_unsigned = value.get("sig").is_none() && !must_be_signed && self.keys.is_empty();
            return if is_unsigned { Ok(()) } else { Err(Problem::NotSigned) };
        };
        let expected = self.seals;
        if found != expected {
            return Err(Problem::SealNumber { expected, found });
        }
        let signed =
            Signed { kind: line.kind, log: &self.log, seq: line.seq, prev: line.prev, at: line.at, number: found };
        self.keys.check(&signed, signature)?;
        self.seals += 1;
        if !self.keys.is_empty() {
            self.signed_up_to = Some(line.seq);
        }
        Ok(())
    }
}
