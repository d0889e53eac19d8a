//! A classifier: a model or a server that says how much a text looks like an injection.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use exo_rails_policy::ConfigError;
use exo_rails_policy::injection::ClassifierConfig;
use tokio::time::timeout;

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
    /// Returns an error if the classifier cannot decide. [`ClassifierConfig::fail_mode`] says what follows.
    fn score<'a>(&'a self, suspect: Suspect<'a>) -> ScoreFuture<'a>;
}

/// The future of a score.
pub type ScoreFuture<'a> = Pin<Box<dyn Future<Output = Result<f64, ClassifierError>> + Send + 'a>>;

/// A text that a classifier reads.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Suspect<'a> {
    /// The text, without what exceeds [`ClassifierConfig::max_bytes`].
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

/// A classifier with its configuration.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) config: ClassifierConfig,
    pub(super) classifier: Option<Arc<dyn Classifier>>,
}

impl Slot {
    pub(super) fn new(config: ClassifierConfig) -> Result<Self, ConfigError> {
        if !(config.threshold > 0.0 && config.threshold <= 1.0) {
            return Err(ConfigError::new("write a number from 0 to 1, but not 0").in_key("classifier.threshold"));
        }
        if config.timeout_ms == 0 || config.max_bytes == 0 {
            let key = if config.timeout_ms == 0 { "classifier.timeout_ms" } else { "classifier.max_bytes" };
            return Err(ConfigError::new("0 is not possible: write at least 1").in_key(key));
        }
        let classifier = match &config.url {
            None => None,
            #[cfg(feature = "http")]
            Some(url) => {
                let http = super::HttpClassifier::new(url).map_err(|error| error.in_key("classifier.url"))?;
                Some(Arc::new(http) as Arc<dyn Classifier>)
            }
            #[cfg(not(feature = "http"))]
            Some(_) => {
                let message = "a URL needs the feature `http` of `exo-rails-guards`";
                return Err(ConfigError::new(message).in_key("classifier.url"));
            }
        };
        Ok(Self { config, classifier })
    }

    /// Asks the classifier, if there is one.
    pub(super) async fn score(
        &self,
        text: &str,
        source: Source,
        tool: Option<&str>,
    ) -> Result<Option<f64>, ClassifierError> {
        let Some(classifier) = self.classifier.as_ref().filter(|_| !text.trim().is_empty()) else { return Ok(None) };
        let text = &text[..text.floor_char_boundary(self.config.max_bytes.min(text.len()))];
        let limit = Duration::from_millis(self.config.timeout_ms);
        let scored = timeout(limit, classifier.score(Suspect { text, source, tool }));
        let score = scored.await.map_err(|_| ClassifierError::Timeout { limit })??;
        if (0.0..=1.0).contains(&score) { Ok(Some(score)) } else { Err(ClassifierError::NoScore) }
    }
}
