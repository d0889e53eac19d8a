//! The classifier of a guard: made from the configuration, or given by the program, and asked within its limits.

use std::sync::Arc;
use std::time::Duration;

use exo_rails_policy::ConfigError;
use exo_rails_policy::injection::ClassifierConfig;
use tokio::time::timeout;

use super::{Classifier, ClassifierError, Source, Suspect};

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
