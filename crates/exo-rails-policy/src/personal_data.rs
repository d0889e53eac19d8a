//! The table `personal_data`.

use serde::{Deserialize, Serialize};

use crate::builder::setters;
use crate::list::one_or_many;
use crate::table::{Table, named};
use crate::{Actions, Override, ToolPattern};

/// The configuration of `PersonalData`.
///
/// ```
/// use exo_rails_policy::personal_data::PersonalDataConfig;
///
/// let config: PersonalDataConfig = exo_rails_policy::from_toml(r#"
///     recognisers = ["email", "credit-card", "uk-*"]
///     actions = { answer = "report" }
///     placeholders = { tools = ["send_mail"] }
/// "#)?;
/// assert_eq!(config.recognisers.len(), 3);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PersonalDataConfig {
    /// The recognisers that run: names, or globs such as `uk-*`. Default: those of the table in `PersonalData`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recognisers: Vec<String>,
    /// Recognisers that do not run.
    pub except: Vec<String>,
    /// What happens to a value in each place. Default: a redaction.
    pub actions: Actions,
    /// Other actions for some recognisers. A later one has precedence.
    pub overrides: Vec<Override>,
    /// Whether marks have numbers, and which tools receive the values. Default: no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholders: Option<Placeholders>,
    /// The bytes of a text that the guard searches at most. A longer text is hidden as a whole. The default is 16 MiB.
    pub max_text_bytes: usize,
}

impl Default for PersonalDataConfig {
    fn default() -> Self {
        Self {
            recognisers: Vec::new(),
            except: Vec::new(),
            actions: Actions::default(),
            overrides: Vec::new(),
            placeholders: None,
            max_text_bytes: 16 << 20,
        }
    }
}

/// Marks that stand for values: see `PersonalData`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Placeholders {
    /// The tools that receive the values: names, or globs. In a configuration, one text or a list. Other spellings do not match.
    #[serde(deserialize_with = "one_or_many")]
    pub tools: Vec<ToolPattern>,
    /// The number of values of a session or run at most. The default is 1000.
    pub max_values: usize,
}

impl Default for Placeholders {
    fn default() -> Self {
        Self { tools: Vec::new(), max_values: 1000 }
    }
}

setters!(PersonalDataConfig {
    recognisers: [String],
    except: [String],
    actions: Actions,
    overrides: [Override],
    max_text_bytes: usize,
});

impl PersonalDataConfig {
    /// Gives marks numbers: sets [`placeholders`](field@Self::placeholders).
    #[must_use]
    pub fn placeholders(mut self, placeholders: Placeholders) -> Self {
        self.placeholders = Some(placeholders);
        self
    }
}

impl Table for PersonalDataConfig {
    const KEY: &'static str = "personal_data";

    fn tools(&self) -> Vec<(String, &str)> {
        named("placeholders", self.placeholders.iter().flat_map(|placeholders| &placeholders.tools))
    }
}
