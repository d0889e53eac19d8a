//! Signatures of places in a log.

use std::fmt;

#[cfg(feature = "sign")]
use data_encoding::HEXLOWER;

use crate::hash::Hash;
#[cfg(feature = "sign")]
use crate::hash::from_hex;
#[cfg(feature = "sign")]
use crate::key::{AuditKey, AuditPublicKey};
use crate::line::FORMAT;
use crate::problem::Problem;

/// What a signature signs: a place in a log. The hash of the line before stands for all lines before.
pub(crate) struct Signed<'s> {
    pub(crate) kind: &'s str,
    pub(crate) log: &'s str,
    pub(crate) seq: u64,
    pub(crate) prev: Hash,
    pub(crate) at: u64,
    pub(crate) number: u64,
}

impl fmt::Display for Signed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, log, seq, prev, at, number } = self;
        write!(f, "{FORMAT} {kind} {log} {seq} {prev} {at} {number}")
    }
}

/// Signs the places of a log, if there is a key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signer {
    #[cfg(feature = "sign")]
    pub(crate) key: Option<AuditKey>,
}

impl Signer {
    /// Returns the public key as text.
    #[cfg_attr(not(feature = "sign"), expect(clippy::unused_self, reason = "there is no key"))]
    pub(crate) fn public(&self) -> Option<String> {
        #[cfg(feature = "sign")]
        return self.key.as_ref().map(|key| key.public().to_string());
        #[cfg(not(feature = "sign"))]
        None
    }

    #[cfg_attr(not(feature = "sign"), expect(unused_variables, clippy::unused_self, reason = "there is no key"))]
    pub(crate) fn sign(&self, signed: &Signed<'_>) -> Option<String> {
        #[cfg(feature = "sign")]
        return self.key.as_ref().map(|key| HEXLOWER.encode(&key.sign(signed.to_string().as_bytes())));
        #[cfg(not(feature = "sign"))]
        None
    }
}

/// The public keys that may have signed a log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    #[cfg(feature = "sign")]
    pub(crate) keys: Vec<AuditPublicKey>,
}

impl Keys {
    #[cfg_attr(not(feature = "sign"), expect(clippy::unused_self, reason = "there are no keys"))]
    pub(crate) fn is_empty(&self) -> bool {
        #[cfg(feature = "sign")]
        return self.keys.is_empty();
        #[cfg(not(feature = "sign"))]
        true
    }

    /// Checks a signature, if there are keys.
    #[cfg_attr(
        not(feature = "sign"),
        expect(unused_variables, clippy::unused_self, clippy::unnecessary_wraps, reason = "there are no keys")
    )]
    pub(crate) fn check(&self, signed: &Signed<'_>, signature: &str) -> Result<(), Problem> {
        #[cfg(feature = "sign")]
        if !self.keys.is_empty() {
            let signature = from_hex::<64>(signature).ok_or(Problem::BadSignature)?;
            let message = signed.to_string();
            if !self.keys.iter().any(|key| key.has_signed(message.as_bytes(), &signature)) {
                return Err(Problem::BadSignature);
            }
        }
        Ok(())
    }
}
