//! Hashes and their text.

use std::fmt;
use std::str::FromStr;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// A SHA-256 hash. As text, it has 64 hexadecimal digits in lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hash(pub(crate) [u8; 32]);

impl Hash {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::end(Sha256::new_with_prefix(bytes))
    }

    pub(crate) fn end(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl FromStr for Hash {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        from_hex(text).map(Self).ok_or(())
    }
}

/// Reads hexadecimal digits in lower case. Accepts one text for each value only.
pub(crate) fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_has_exactly_one_hex_text() {
        let hash = Hash::of(b"abc");
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash.to_string(), text);
        assert_eq!(text.parse(), Ok(hash));
        for wrong in [&text.to_uppercase(), &text[1..], &text.replacen('b', "g", 1), "", "é"] {
            assert!(wrong.parse::<Hash>().is_err(), "{wrong}");
        }
    }
}
