#![cfg_attr(docsrs, feature(doc_cfg))]
//! A log of what agents do, in which every later change is found.
//!
//! [`Audit`] writes the log around any guard set of exo-rails, [`verify`] checks it, and with the feature `sign` a key seals it:
//! then nobody without the key can write another log in its place.
//!
//! ```
//! use exo_rails::prelude::*;
//! use exo_rails_audit::{Audit, verify};
//!
//! #[rail(on = [PreToolCall])]
//! fn no_refunds(call: &ToolCallInputs) -> Verdict {
//!     Verdict::abort_if(call.tool_name == "refund", "a colleague does this")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("audit.jsonl");
//! let audit = Audit::builder().path(&path).build()?;
//! let rails = audit.wrap(rail_chain![no_refunds]);
//! let mut call = ToolCallInputs::new("refund");
//! assert!(!rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("desk")).await?.is_continue());
//! audit.close().await?;
//!
//! assert_eq!(verify(&path)?.events, 1);
//! # Ok(()) }
//! ```
//!
//! The type of the configuration, [`AuditConfig`], is the table `audit` of a policy file.

mod audit;
mod audited;
mod chain;
mod entry;
mod error;
mod feed;
mod files;
mod hash;
mod head;
#[cfg(feature = "sign")]
mod key;
mod line;
mod problem;
mod seal;
mod sink;
mod verify;
mod writer;

pub use audit::Audit;
pub use audited::Audited;
pub use error::AuditError;
pub use exo_rails_policy::audit::{AuditConfig, Level, OnError, WhenFull};
pub use head::{BadHead, Head};
#[cfg(feature = "sign")]
#[cfg_attr(docsrs, doc(cfg(feature = "sign")))]
pub use key::{AuditKey, AuditPublicKey};
pub use problem::{Problem, VerifyError};
pub use sink::Sink;
pub use verify::{Verified, Verify, verify};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
