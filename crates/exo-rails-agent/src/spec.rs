//! Models by their specification, such as `openai:gpt-4o`.

#[cfg(any(feature = "openai-http", feature = "anthropic-http"))]
use crate::http::ModelConfigError;
use crate::model::Model;

/// A specification does not name a model that the library can make: see [`<dyn
/// Model>::from_spec`](crate::Model#method.from_spec).
///
/// ```
/// use exo_rails_agent::Model;
///
/// let error = <dyn Model>::from_spec("opnai:gpt-4o").unwrap_err();
/// assert_eq!(error.to_string(), "there is no provider `opnai`: the providers are `openai` and `anthropic`");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The specification has no colon, or no text before the colon. The error does not show the specification, which may
    /// be a key.
    #[error("the model has no provider: write `provider:model`, such as `openai:gpt-4o`")]
    NoProvider,
    /// The specification has no text after the colon.
    #[error("the provider `{provider}` is given without a model: write `{provider}:` and the name of a model")]
    NoModel {
        /// The text before the colon.
        provider: String,
    },
    /// The library does not know the provider.
    #[error("there is no provider `{provider}`: the providers are `openai` and `anthropic`")]
    UnknownProvider {
        /// The text before the colon.
        provider: String,
    },
    /// This build has no client for the provider.
    #[error("the provider `{feature}` needs the feature `{feature}` of `exo-rails-agent`")]
    FeatureOff {
        /// The feature that adds the client.
        feature: &'static str,
    },
    /// The environment lacks the key, or a variable has a value that cannot be used.
    #[cfg(any(feature = "openai-http", feature = "anthropic-http"))]
    #[error(transparent)]
    Config(#[from] ModelConfigError),
}

impl dyn Model {
    /// Makes the model that a specification names, such as `openai:gpt-4o` or `anthropic:claude-sonnet-4-5`. A
    /// specification is a provider, a colon, and the name of the model at this provider. The name of the model may
    /// contain colons.
    ///
    /// | provider | model | feature | variables of the environment |
    /// |---|---|---|---|
    /// | `openai` | `openai::ChatModel` | `openai`, `openai-http` | `OPENAI_API_KEY`, `OPENAI_BASE_URL` |
    /// | `anthropic` | `anthropic::MessagesModel` | `anthropic`, `anthropic-http` | `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` |
    ///
    /// The key comes from the environment. A missing key is an error only if the base URL is not set
    /// either: a server at another address may need no key.
    ///
    /// ```
    /// use exo_rails_agent::Model;
    ///
    /// let error = <dyn Model>::from_spec("gpt-4o").unwrap_err();
    /// assert_eq!(error.to_string(), "the model has no provider: write `provider:model`, such as `openai:gpt-4o`");
    /// ```
    ///
    /// An agent takes the boxed model:
    ///
    /// ```no_run
    /// use exo_rails_agent::{Agent, Model};
    ///
    /// # fn main() -> Result<(), exo_rails_agent::SpecError> {
    /// let agent = Agent::builder("support", <dyn Model>::from_spec("openai:gpt-4o")?).build();
    /// # let _ = agent; Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns an error in each of these cases:
    ///
    /// - The specification has no provider or no model.
    /// - The library does not know the provider, or the feature of the provider is off.
    /// - The environment lacks the key, or a variable has a value that cannot be used.
    ///
    /// No error contains the key or the name of the model.
    pub fn from_spec(spec: &str) -> Result<Box<dyn Model>, SpecError> {
        let (provider, model) = spec.split_once(':').unwrap_or_default();
        let (provider, model) = (provider.trim(), model.trim());
        match provider {
            "" => Err(SpecError::NoProvider),
            "openai" | "anthropic" if model.is_empty() => Err(SpecError::NoModel { provider: provider.to_owned() }),
            "openai" => openai(model),
            "anthropic" => anthropic(model),
            _ => Err(SpecError::UnknownProvider { provider: provider.to_owned() }),
        }
    }
}

/// Writes the function that makes the model of a provider. If this build has no client for the provider, the function
/// returns an error.
macro_rules! provider {
    ($name:ident, $feature:literal, $without_tls:literal, $builder:path) => {
        #[cfg(feature = $without_tls)]
        fn $name(model: &str) -> Result<Box<dyn Model>, SpecError> {
            use $builder as Builder;
            Ok(Box::new(Builder::from_env_with(Some(model.to_owned()))?.build()?))
        }

        #[cfg(not(feature = $without_tls))]
        fn $name(_: &str) -> Result<Box<dyn Model>, SpecError> {
            Err(SpecError::FeatureOff { feature: $feature })
        }
    };
}

provider!(openai, "openai", "openai-http", crate::openai::ChatModelBuilder);
provider!(anthropic, "anthropic", "anthropic-http", crate::anthropic::MessagesModelBuilder);

#[cfg(all(test, not(any(feature = "openai-http", feature = "anthropic-http"))))]
mod tests {
    #[test]
    fn an_error_about_a_disabled_provider_names_its_feature() {
        for (spec, feature) in [("openai:gpt-4o", "openai"), ("anthropic:claude-sonnet-4-5", "anthropic")] {
            let error = <dyn crate::Model>::from_spec(spec).err().map(|error| error.to_string());
            let expected = format!("the provider `{feature}` needs the feature `{feature}` of `exo-rails-agent`");
            assert_eq!(error, Some(expected));
        }
    }
}
