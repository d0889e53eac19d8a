//! Checking a log.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use exo_rails_policy::open_regular;

use crate::chain::{Chain, State};
use crate::files::{existing, file_path, log_path};
use crate::head::Head;
#[cfg(feature = "sign")]
use crate::key::AuditPublicKey;
use crate::line::RawLine;
use crate::problem::{Problem, VerifyError};

/// Checks a log and all its files, without a key: see [`Verify`].
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_audit::{Audit, Problem, VerifyError, verify};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("audit.jsonl");
/// let audit = Audit::builder().path(&path).build()?;
/// let rails = audit.wrap(exo_rails::NoRails);
/// let mut call = ToolCallInputs::new("refund");
/// assert!(rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("desk")).await?.is_continue());
/// audit.close().await?;
///
/// let verified = verify(&path)?;
/// assert_eq!((verified.events, verified.lost), (1, 0));
///
/// let log = std::fs::read_to_string(&path)?.replace("refund", "search");
/// std::fs::write(&path, log)?;
/// let error = verify(&path).unwrap_err();
/// assert!(matches!(error, VerifyError::Log { line: 2, problem: Problem::Edited, .. }));
/// # Ok(()) }
/// ```
///
/// # Errors
/// Returns the first line that is wrong.
pub fn verify(path: impl AsRef<Path>) -> Result<Verified, VerifyError> {
    Verify::new().log(path)
}

/// A check of a log.
///
/// What the check finds depends on what you give it:
///
/// | change of the log | without a key | with a key | with the expected head |
/// |---|---|---|---|
/// | a byte was changed; a line was removed, repeated, moved, or taken from another log | yes | yes | yes |
/// | the end was cut off, so that the log no longer ends with `close` | yes | yes | yes |
/// | the end was cut off after an earlier `close`, where the log had been opened again | no | no | yes |
/// | somebody changed lines, and computed all later hashes again | no | yes, up to the last signature | yes, up to the head |
/// | somebody replaced the whole log by an older copy of it | no | no | yes |
/// | somebody has the key | no | no | yes, up to the head |
///
/// Signatures are at the lines `seal`, `close` and `next_file`. If the writer is killed, the lines after the last signature
/// have none. Somebody can replace these lines before the log is opened again. [`Verified::interruptions`] counts such places.
///
/// The memory of a check does not depend on the length of the log or of its lines.
#[derive(Clone, Debug, Default)]
#[must_use = "a check does nothing before `log`, `file` or `reader`"]
pub struct Verify {
    expected: Option<Head>,
    #[cfg(feature = "sign")]
    keys: Vec<AuditPublicKey>,
    may_be_open: bool,
    may_begin_later: bool,
}

impl Verify {
    /// Makes a check that expects a whole log, from its first line to a line `close`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Expects that the log contains this head. The log may be longer.
    pub const fn expect(mut self, head: Head) -> Self {
        self.expected = Some(head);
        self
    }

    /// Expects signatures by this key. If you call the method again, a signature may be by any of the keys.
    #[cfg(feature = "sign")]
    #[cfg_attr(docsrs, doc(cfg(feature = "sign")))]
    pub fn key(mut self, key: AuditPublicKey) -> Self {
        self.keys.push(key);
        self
    }

    /// Accepts a log without an end, for example while its writer is at work, or after the writer was killed. The check then
    /// does not find a cut, unless you [expect](Self::expect) a head.
    ///
    /// A kill at any point leaves a log that this check accepts, also a kill between two files:
    /// [`is_between_files`](Verified::is_between_files) says so.
    pub const fn may_be_open(mut self) -> Self {
        self.may_be_open = true;
        self
    }

    /// Accepts a log whose first files are missing, because they were archived.
    pub const fn may_begin_later(mut self) -> Self {
        self.may_begin_later = true;
        self
    }

    /// Checks a log and all its files.
    ///
    /// # Errors
    /// Returns the first line that is wrong, or the error of the operating system.
    pub fn log(&self, path: impl AsRef<Path>) -> Result<Verified, VerifyError> {
        let path = path.as_ref();
        let failed = |cause| VerifyError::Read { file: path.to_owned(), cause };
        let linked = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        let log = if linked { log_path(path).map_err(failed)? } else { path.to_owned() };
        let numbers = existing(&log).map_err(failed)?;
        let files: Vec<_> = numbers.into_iter().map(|number| file_path(&log, number)).collect();
        if files.is_empty() {
            return self.files([path]);
        }
        self.files(files)
    }

    /// Checks a log that consists of these files, in this order. Use it for files that have other names now.
    ///
    /// # Errors
    /// As [`log`](Self::log).
    pub fn files(&self, files: impl IntoIterator<Item: AsRef<Path>>) -> Result<Verified, VerifyError> {
        let mut check = self.begin();
        for file in files {
            let file = file.as_ref();
            check.next_file(Some(file))?;
            let open = open_regular(file, OpenOptions::new().read(true))
                .map_err(|cause| VerifyError::Read { file: file.to_owned(), cause })?;
            check.read(&mut BufReader::with_capacity(64 * 1024, open))?;
        }
        check.end()
    }

    /// Checks a log from a reader. All its files follow each other.
    ///
    /// # Errors
    /// As [`log`](Self::log).
    pub fn reader(&self, mut log: impl BufRead) -> Result<Verified, VerifyError> {
        let mut check = self.begin();
        check.read(&mut log)?;
        check.end()
    }

    fn begin(&self) -> Check {
        let mut chain = Chain::default();
        (chain.expected, chain.may_begin_later) = (self.expected, self.may_begin_later);
        #[cfg(feature = "sign")]
        chain.keys.keys.clone_from(&self.keys);
        Check {
            chain,
            may_be_open: self.may_be_open,
            file: None,
            line: 0,
            lines: 0,
            files: 0,
            is_torn: false,
            has_file_without_line: false,
        }
    }
}

/// A check in progress.
struct Check {
    chain: Chain,
    may_be_open: bool,
    file: Option<PathBuf>,
    /// The number of the line in the file.
    line: u64,
    lines: u64,
    files: u64,
    /// Whether the last line of the last file is not finished.
    is_torn: bool,
    /// Whether the last file has no whole line.
    has_file_without_line: bool,
}

impl Check {
    fn next_file(&mut self, file: Option<&Path>) -> Result<(), VerifyError> {
        if self.files > 0 && (self.is_torn || self.chain.state != State::FileEnded) {
            return Err(self.wrong(0, if self.is_torn { Problem::Torn } else { Problem::NotClosed }));
        }
        (self.file, self.line) = (file.map(Path::to_owned), 0);
        self.files += 1;
        Ok(())
    }

    fn read(&mut self, log: &mut impl BufRead) -> Result<(), VerifyError> {
        loop {
            let line = RawLine::read(log).map_err(|cause| {
                let file = self.file.clone().unwrap_or_default();
                VerifyError::Read { file, cause }
            })?;
            let Some(line) = line else { break };
            self.line += 1;
            self.lines += 1;
            if !line.has_newline {
                self.is_torn = true;
                break;
            }
            self.chain.follow(&line).map_err(|(back, problem)| self.wrong(back, problem))?;
        }
        self.has_file_without_line = self.line == u64::from(self.is_torn);
        let torn = u64::from(self.is_torn);
        self.chain.end_file().map_err(|problem| self.wrong(torn, problem))
    }

    fn end(self) -> Result<Verified, VerifyError> {
        let state = self.chain.state;
        if let Some(problem) = self.problem_at_the_end() {
            return Err(self.wrong(0, problem));
        }
        let Some(head) = self.chain.head else { return Err(self.wrong(0, Problem::Empty)) };
        let Chain { log, events, lost, interruptions, signed_up_to, .. } = self.chain;
        let lines = self.lines;
        let (is_closed, is_between_files) = (state == State::Closed, state == State::FileEnded);
        Ok(Verified { log, head, lines, events, lost, interruptions, signed_up_to, is_closed, is_between_files })
    }

    fn problem_at_the_end(&self) -> Option<Problem> {
        let Chain { head, expected, state, file, .. } = &self.chain;
        if let Some(expected) = expected.filter(|expected| head.is_none_or(|head| head.seq < expected.seq)) {
            return Some(Problem::Cut { expected });
        }
        match state {
            _ if self.may_be_open => None,
            State::FileEnded if self.has_file_without_line => Some(Problem::FileNotBegun { number: file + 1 }),
            State::FileEnded => Some(Problem::FileMissing { number: file + 1 }),
            _ if self.is_torn => Some(Problem::Torn),
            State::Open => Some(Problem::NotClosed),
            State::Closed | State::Empty => None,
        }
    }

    fn wrong(&self, back: u64, problem: Problem) -> VerifyError {
        VerifyError::Log { file: self.file.clone(), line: self.line.saturating_sub(back), problem }
    }
}

/// What a [check](Verify) has found in a log without mistakes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The name of the log. The writer chose it at random.
    pub log: String,
    /// The last line. Keep it, and [expect](Verify::expect) it at the next check.
    pub head: Head,
    /// The number of lines.
    pub lines: u64,
    /// The number of records of events.
    pub events: u64,
    /// The number of records that the writer lost, as it says in lines `lost`.
    pub lost: u64,
    /// How often the log was opened again without a line `close`, for example after the program was killed.
    pub interruptions: u64,
    /// The last line with a signature by one of the [keys](Verify::key). `None` if there is none, or if the check had no key.
    pub signed_up_to: Option<u64>,
    /// Whether the log ends with a line `close`.
    pub is_closed: bool,
    /// Whether the log ends between two files: the last file is whole, and the next one is missing or has no whole line. The
    /// writer was killed there, or is there just now. Only a check of a log that [may be open](Verify::may_be_open) returns
    /// `true`.
    pub is_between_files: bool,
}
