//! Prompt injection: text that instructs a model, hidden characters, encoded text, and a canary for the system message.
//!
//! The guard is advisory. It reports, and removes hidden characters from the outputs of tools. It refuses only with
//! [`enforce_from`](field@InjectionConfig::enforce_from), because patterns find few attacks and also match honest texts. See the
//! figures in `GUARDS.md`.
//!
//! The guard reads what others write: inputs, outputs of tools, memories. It does not search the arguments and answers of the
//! model for instructions, only for the canary. So a program that writes a test with an attack in it is not disturbed.
//!
//! The page "Prompt injection" of the book lists the rules and the hidden characters, describes the classifier and the canary,
//! and has figures.

mod canary;
mod classifier;
mod guard;
#[cfg(feature = "http")]
mod http;
mod mention;
#[cfg(feature = "agent")]
mod model;
mod rot13;
mod rules;
mod scan;
mod scripts;
mod slot;

pub use classifier::{Classifier, ClassifierError, ScoreFuture, Suspect};
pub use exo_rails_policy::injection::{ClassifierConfig, ClassifierFailMode, InjectionConfig, Source};
pub use guard::{Injection, InjectionError};
#[cfg(feature = "http")]
#[cfg_attr(docsrs, doc(cfg(feature = "http")))]
pub use http::HttpClassifier;
#[cfg(feature = "agent")]
#[cfg_attr(docsrs, doc(cfg(feature = "agent")))]
pub use model::ModelClassifier;

const GUARD: &str = "injection";
