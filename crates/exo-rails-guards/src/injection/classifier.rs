//! A classifier: a model or a server that says how much a text looks like an injection.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use super::Source;

/// Says how much a text looks like an injection.
///
/// Implement it for your own classifier. `ModelClassifier` (feature `agent`) asks a model, and `HttpClassifier` (feature `http`) a
/// server.
///
/// ```
/// use exo_rails_guards::Injection;
/// use exo_rails_guards::injection::{Classifier, ScoreFuture, Suspect};
///
/// /// Suspects long texts.
/// #[derive(Debug)]
/// struct Long;
///
/// impl Classifier for Long {
///     fn score<'a>(&'a self, suspect: Suspect<'a>) -> ScoreFuture<'a> {
///         Box::pin(async move { Ok(if suspect.text.len() > 10_000 { 0.9 } else { 0.0 }) })
///     }
/// }
///
/// let injection = Injection::builder().build()?.with_classifier(Long);
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
pub trait Classifier: fmt::Debug + Send + Sync {
    /// Returns a score from 0 (honest) to 1 (an injection).
    ///
    /// # Errors
    /// Returns an error if the classifier cannot decide. [`ClassifierConfig::fail_mode`](super::ClassifierConfig::fail_mode) says what follows.
    fn score<'a>(&'a self, suspect: Suspect<'a>) -> ScoreFuture<'a>;
}

/// The future of a score.
pub type ScoreFuture<'a> = Pin<Box<dyn Future<Output = Result<f64, ClassifierError>> + Send + 'a>>;

/// A text that a classifier reads.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Suspect<'a> {
    /// The text, without what exceeds [`ClassifierConfig::max_bytes`](super::ClassifierConfig::max_bytes).
    pub text: &'a str,
    /// Who has written it.
    pub source: Source,
    /// The tool whose output it is.
    pub tool: Option<&'a str>,
}

/// A classifier could not decide.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClassifierError {
    /// It did not answer in time.
    #[error("the classifier did not answer in {} ms", limit.as_millis())]
    Timeout {
        /// The time limit.
        limit: Duration,
    },
    /// Its answer is not a score.
    #[error("the answer of the classifier is not a score from 0 to 1")]
    NoScore,
    /// It failed.
    #[error("the classifier failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}
