//! The head of a log: its last line.

use std::fmt;
use std::str::FromStr;

use crate::hash::Hash;

/// The last line of a log: its number and its hash.
///
/// A log that is cut at its end is still a log. To find such a cut, keep the head where nobody who can change the log can
/// change it too, and give it to [`Verify::expect`](crate::Verify::expect).
///
/// As text, a head is the number, a colon and the hash:
///
/// ```
/// use exo_rails_audit::Head;
///
/// let text = "7:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// let head: Head = text.parse()?;
/// assert_eq!(head.seq(), 7);
/// assert_eq!(head.to_string(), text);
/// # Ok::<(), exo_rails_audit::BadHead>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub(crate) seq: u64,
    pub(crate) hash: Hash,
}

impl Head {
    /// Returns the number of the line, from 0.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// Returns the SHA-256 hash of the line.
    #[must_use]
    pub const fn hash(&self) -> [u8; 32] {
        self.hash.0
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seq, self.hash)
    }
}

impl FromStr for Head {
    type Err = BadHead;

    fn from_str(text: &str) -> Result<Self, BadHead> {
        let (seq, hash) = text.trim().split_once(':').ok_or(BadHead)?;
        Ok(Self { seq: seq.parse().map_err(|_| BadHead)?, hash: hash.parse().map_err(|()| BadHead)? })
    }
}

/// A text is not a [`Head`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the head of a log: write the number of a line, a colon and 64 hexadecimal digits")]
pub struct BadHead;
