//! Signatures of places in a log.

use std::fmt;

use super::hash::Hash;
#[cfg(feature = "audit-sign")]
use super::hash::{from_hex, to_hex};
#[cfg(feature = "audit-sign")]
use super::key::{AuditKey, AuditPublicKey};
use super::problem::Problem;

/// What a signature signs: a place in a log. The hash of the line before stands for all lines before.
pub(super) struct Signed<'s> {
    pub(super) kind: &'s str,
    pub(super) log: &'s str,
    pub(super) seq: u64,
    pub(super) prev: Hash,
    pub(super) at: u64,
    pub(super) number: u64,
}

impl fmt::Display for Signed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, log, seq, prev, at, number } = self;
        write!(f, "{} {kind} {log} {seq} {prev} {at} {number}", super::FORMAT)
    }
}

/// Signs the places of a log, if there is a key.
#[derive(Clone, Debug, Default)]
pub(super) struct Signer {
    #[cfg(feature = "audit-sign")]
    pub(super) key: Option<AuditKey>,
}

impl Signer {
    /// Returns the public key as text.
    #[cfg_attr(not(feature = "audit-sign"), expect(clippy::unused_self, reason = "there is no key"))]
    pub(super) fn public(&self) -> Option<String> {
        #[cfg(feature = "audit-sign")]
        return self.key.as_ref().map(|key| key.public().to_string());
        #[cfg(not(feature = "audit-sign"))]
        None
    }

    #[cfg_attr(not(feature = "audit-sign"), expect(unused_variables, clippy::unused_self, reason = "there is no key"))]
    pub(super) fn sign(&self, signed: &Signed<'_>) -> Option<String> {
        #[cfg(feature = "audit-sign")]
        return self.key.as_ref().map(|key| to_hex(&key.sign(signed.to_string().as_bytes())));
        #[cfg(not(feature = "audit-sign"))]
        None
    }
}

/// The public keys that may have signed a log.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    #[cfg(feature = "audit-sign")]
    pub(super) keys: Vec<AuditPublicKey>,
}

impl Keys {
    #[cfg_attr(not(feature = "audit-sign"), expect(clippy::unused_self, reason = "there are no keys"))]
    pub(super) fn is_empty(&self) -> bool {
        #[cfg(feature = "audit-sign")]
        return self.keys.is_empty();
        #[cfg(not(feature = "audit-sign"))]
        true
    }

    /// Checks a signature, if there are keys.
    #[cfg_attr(
        not(feature = "audit-sign"),
        expect(unused_variables, clippy::unused_self, clippy::unnecessary_wraps, reason = "there are no keys")
    )]
    pub(super) fn check(&self, signed: &Signed<'_>, signature: &str) -> Result<(), Problem> {
        #[cfg(feature = "audit-sign")]
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
