//! Rules, in their text form.

use std::fmt;
use std::str::FromStr;

use exo_rails_sequence::grammar::{Mistake, Rule};
use exo_rails_sequence::text::parse;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::ConfigError;

/// A rule about the order and the number of tool calls. The page "The order of calls" of the book has the grammar.
///
/// A rule is made from its text, or by the macro `sequence_rules!` of `exo-rails-guards`, which checks the names of tools
/// and fields at compile time. Both make the same rule.
///
/// ```
/// use exo_rails_policy::sequence::SequenceRule;
///
/// let rule: SequenceRule = "refund only after approve within 60m same order_id".parse()?;
/// assert_eq!(rule.to_string(), "refund only after approve within 1h same order_id");
///
/// let error = "refund after approve".parse::<SequenceRule>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 1, column 8: write `only after`: `refund only after …`, or `never refund after …`",
/// );
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
///
/// In a file, a rule is a text, or a table with the keys `rule`, `name` and `because`:
///
/// ```
/// use exo_rails_policy::from_toml;
/// use exo_rails_policy::sequence::{SequenceConfig, SequenceRule};
///
/// let config: SequenceConfig = from_toml(r#"
///     rules = [
///         "never send_mail after read_web",
///         { name = "large", rule = "at most 3 refund within 1d", because = "the fourth refund needs a person" },
///     ]
/// "#)?;
/// let large: SequenceRule = "at most 3 refund within 1d".parse()?;
/// assert_eq!(config.rules[1], large.named("large").because("the fourth refund needs a person"));
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceRule {
    /// The name for findings. Without it, the name is the text of the rule.
    pub name: Option<String>,
    /// Why the rule exists. The model reads it when the rule refuses a call.
    pub because: Option<String>,
    /// What the rule says.
    pub rule: Rule<()>,
    /// Why no guard can follow the rule.
    pub problem: Option<String>,
}

impl SequenceRule {
    /// Makes a rule without a name.
    #[must_use]
    pub const fn of(rule: Rule<()>) -> Self {
        Self { name: None, because: None, rule, problem: None }
    }

    /// Sets the name for findings and for the store. The default is the text of the rule.
    ///
    /// The calls that a rule remembers are in the store under its name. So a rule with another text under the same name goes on
    /// with them.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets why the rule exists. The model reads it when the rule refuses a call.
    #[must_use]
    pub fn because(mut self, because: impl Into<String>) -> Self {
        self.because = Some(because.into());
        self
    }

    /// Returns the name for findings.
    #[must_use]
    pub fn shown_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.to_string())
    }

    /// Returns the names of all tools.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.rule.demand.all_tools().into_iter().map(|tool| tool.text.as_str())
    }
}

/// The text of the rule, without its name.
impl fmt::Display for SequenceRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rule.fmt(f)
    }
}

impl FromStr for SequenceRule {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        parse(text).map(Self::of).map_err(|Mistake { at, message }| {
            let before = text.get(..at).unwrap_or(text);
            let line = before.rsplit('\n').next().unwrap_or_default();
            let position = Some((before.matches('\n').count() + 1, line.chars().count() + 1));
            ConfigError { position, ..ConfigError::new(message) }
        })
    }
}

impl TryFrom<&str> for SequenceRule {
    type Error = ConfigError;

    fn try_from(text: &str) -> Result<Self, ConfigError> {
        text.parse()
    }
}

/// A rule in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    rule: Text,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    because: Option<String>,
}

/// The text of a rule.
struct Text(SequenceRule);

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(RuleVisitor).map(Self)
    }
}

impl Serialize for SequenceRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.name.is_none() && self.because.is_none() {
            return serializer.collect_str(self);
        }
        let (name, because) = (self.name.clone(), self.because.clone());
        Table { rule: Text(self.clone()), name, because }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SequenceRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RuleVisitor)
    }
}

struct RuleVisitor;

impl<'de> Visitor<'de> for RuleVisitor {
    type Value = SequenceRule;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a rule such as \"refund only after approve\", or a table with `rule`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<SequenceRule, E> {
        parse(text).map(SequenceRule::of).map_err(|Mistake { at, message }| {
            let place = text.get(..at).unwrap_or(text).chars().count() + 1;
            E::custom(format_args!("{message} (character {place} of the rule)"))
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<SequenceRule, A::Error> {
        let Table { rule: Text(rule), name, because } = Table::deserialize(MapAccessDeserializer::new(table))?;
        Ok(SequenceRule { name, because, ..rule })
    }
}
