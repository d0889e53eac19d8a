//! A log of what agents do, in which every change is found.
//!
//! [`Audit`] writes the log, and [`verify`] checks it. They are those of the crate [`exo_rails_audit`], which works without other
//! guards too. To make the log together with a kit, write the table `audit` and call
//! [`KitBuilder::audited_from_file`](crate::kit::KitBuilder::audited_from_file).

pub use exo_rails_audit::{
    Audit, AuditConfig, AuditError, Audited, BadHead, Head, Level, OnError, Problem, Sink, Verified, Verify,
    VerifyError, WhenFull, verify,
};
#[cfg(feature = "audit-sign")]
#[cfg_attr(docsrs, doc(cfg(feature = "audit-sign")))]
pub use exo_rails_audit::{AuditKey, AuditPublicKey};
