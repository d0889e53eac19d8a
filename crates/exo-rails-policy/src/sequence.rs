//! The table `sequence`.

use serde::{Deserialize, Serialize};

use crate::builder::setters;
use crate::table::Table;
use crate::{ConfigError, OnRefusal};

pub use crate::sequence_rule::SequenceRule;

/// The configuration of `Sequence`.
///
/// ```
/// use exo_rails_policy::sequence::SequenceConfig;
///
/// let config: SequenceConfig = exo_rails_policy::from_toml(r#"
///     rules = [
///         "refund only after approve within 1h same order_id",
///         "sum of amount in refund at most 500 within 1d per user",
///     ]
/// "#)?;
/// assert_eq!(config.rules[0].to_string(), "refund only after approve within 1h same order_id");
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SequenceConfig {
    /// The rules. All of them must allow a call.
    pub rules: Vec<SequenceRule>,
    /// How long a call can run, in milliseconds. A call that has begun and has no end after this time has an unknown outcome,
    /// for example because its process has died. From then on it counts as a call that has ended. The default is 10 minutes.
    pub hold_for_ms: u64,
    /// What happens to a call that a rule refuses.
    pub on_refusal: OnRefusal,
}

impl Default for SequenceConfig {
    fn default() -> Self {
        Self { rules: Vec::new(), hold_for_ms: 600_000, on_refusal: OnRefusal::default() }
    }
}

setters!(SequenceConfig { rules: [SequenceRule], hold_for_ms: u64, on_refusal: OnRefusal });

impl SequenceConfig {
    /// Checks the values that need no engine.
    ///
    /// # Errors
    /// Returns an error that names the key, and says what to write.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.hold_for_ms == 0 {
            let message = "0 would end running calls at once: write how long a call can take";
            return Err(ConfigError::new(message).in_key("hold_for_ms"));
        }
        for (place, rule) in self.rules.iter().enumerate() {
            self.check_name(rule, place).map_err(|error| error.in_key(format_args!("rules[{place}]")))?;
        }
        let numbered = self.rules.iter().enumerate();
        let rules: Vec<_> = numbered.map(|(place, rule)| rule.rule.clone().map(&mut |()| place)).collect();
        exo_rails_sequence::grammar::impossible(&rules).map_or(Ok(()), |mistake| {
            Err(ConfigError::new(mistake.message).in_key(format_args!("rules[{}]", mistake.at)))
        })
    }

    fn check_name(&self, rule: &SequenceRule, place: usize) -> Result<(), ConfigError> {
        if let Some(problem) = &rule.problem {
            return Err(ConfigError::new(problem.as_str()));
        }
        let name = rule.shown_name();
        if name.trim().is_empty() {
            return Err(ConfigError::new("the name is empty: remove it, or write one").in_key("name"));
        }
        if self.rules[..place].iter().any(|other| other.shown_name() == name) {
            let message = format!("`{name}` is there twice: remove one, or give it a `name`");
            return Err(ConfigError::new(message));
        }
        Ok(())
    }
}

impl Table for SequenceConfig {
    const KEY: &'static str = "sequence";

    fn tools(&self) -> Vec<(String, &str)> {
        let rules = self.rules.iter().enumerate();
        rules.flat_map(|(place, rule)| rule.tools().map(move |tool| (format!("rules[{place}]"), tool))).collect()
    }
}
