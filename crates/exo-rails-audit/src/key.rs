//! The keys of signed logs.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use data_encoding::HEXLOWER;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use exo_rails_policy::ConfigError;

use crate::hash::from_hex;

/// The secret key that signs a log (Ed25519, [RFC 8032]).
///
/// It is 32 random bytes. `openssl rand -hex 32` makes the text of one. `Debug` does not show it.
///
/// ```
/// use exo_rails_audit::AuditKey;
///
/// let key: AuditKey = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60".parse()?;
/// let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
/// assert_eq!(key.public().to_string(), public);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
///
/// [RFC 8032]: https://www.rfc-editor.org/rfc/rfc8032
#[derive(Clone)]
pub struct AuditKey(SigningKey);

impl AuditKey {
    /// Makes the key from 32 random bytes.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// Reads the key from a file with 64 hexadecimal digits.
    ///
    /// # Errors
    /// Returns an error that names the file if it cannot be read, or does not contain a key. The error does not quote the file.
    pub fn from_file(file: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let file = file.as_ref();
        exo_rails_policy::read(file)?.trim().parse().map_err(|error: ConfigError| error.in_file(file))
    }

    /// Returns the public key, with which anybody can [verify](crate::Verify::key) the log.
    #[must_use]
    pub fn public(&self) -> AuditPublicKey {
        AuditPublicKey(self.0.verifying_key())
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl FromStr for AuditKey {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let seed = from_hex::<32>(&text.to_ascii_lowercase());
        let seed = seed.ok_or_else(|| ConfigError::new("not a key: write 64 hexadecimal digits"))?;
        Ok(Self::from_seed(&seed))
    }
}

impl fmt::Debug for AuditKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditKey").field("public", &self.public()).finish_non_exhaustive()
    }
}

/// The public key of a signed log: see [`AuditKey::public`]. As text, it has 64 hexadecimal digits.
///
/// Keep it apart from the log. The log names its key too, but somebody who forges a log can name another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditPublicKey(VerifyingKey);

impl AuditPublicKey {
    pub(crate) fn has_signed(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.0.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }
}

impl FromStr for AuditPublicKey {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let bytes = from_hex::<32>(&text.trim().to_ascii_lowercase());
        let key = bytes.and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
        key.map(Self).ok_or_else(|| ConfigError::new("not a public key: write its 64 hexadecimal digits"))
    }
}

impl fmt::Display for AuditPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(self.0.as_bytes()))
    }
}
