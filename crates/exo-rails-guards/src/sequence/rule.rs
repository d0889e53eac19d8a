//! Rules, in their text form.

use std::fmt;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::grammar::{self, Mistake, Name, Rule, Token};
use crate::ConfigError;

/// A rule about the order and the number of tool calls. The page "The order of calls" of the book has the grammar.
///
/// A rule is made from its text, or by the macro [`sequence_rules!`](crate::sequence_rules!), which checks the names of tools
/// and fields at compile time. Both make the same rule.
///
/// ```
/// use exo_rails_guards::sequence::SequenceRule;
///
/// let rule: SequenceRule = "refund only after approve within 60m same order_id".parse()?;
/// assert_eq!(rule.to_string(), "refund only after approve within 1h same order_id");
///
/// let error = "refund after approve".parse::<SequenceRule>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 1, column 8: write `only after`: `refund only after …`, or `never refund after …`",
/// );
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
///
/// In a file, a rule is a text, or a table with the keys `rule`, `name` and `because`:
///
/// ```
/// use exo_rails_guards::config;
/// use exo_rails_guards::sequence::{SequenceConfig, SequenceRule};
///
/// let config: SequenceConfig = config::from_toml(r#"
///     rules = [
///         "never send_mail after read_web",
///         { name = "large", rule = "at most 3 refund within 1d", because = "the fourth refund needs a person" },
///     ]
/// "#)?;
/// let large: SequenceRule = "at most 3 refund within 1d".parse()?;
/// assert_eq!(config.rules[1], large.named("large").because("the fourth refund needs a person"));
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceRule {
    pub(super) name: Option<String>,
    pub(super) because: Option<String>,
    pub(super) rule: Rule<()>,
    /// Why no guard can follow the rule.
    pub(super) problem: Option<String>,
}

impl SequenceRule {
    pub(super) const fn of(rule: Rule<()>) -> Self {
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
    pub(super) fn shown_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.to_string())
    }

    /// Returns the names of all tools.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &str> {
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

/// Reads a rule. The place of a mistake is a byte of the text.
pub(super) fn parse(text: &str) -> Result<Rule<()>, Mistake<usize>> {
    grammar::parse(&tokens(text)?, text.trim_end().len()).map(|rule| rule.map(&mut |_| ()))
}

/// Splits a text into words. A name in double quotes is one word, and `""` is a quote inside of it.
fn tokens(text: &str) -> Result<Vec<Token<usize>>, Mistake<usize>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else { return Ok(tokens) };
        let (length, word, is_quoted) = if first == '"' {
            let Some(end) = end_of_quotes(rest) else {
                let message = "the quotes of this name do not end: write `\"` after it".to_owned();
                return Err(Mistake { at, message });
            };
            (end + 1, rest[1..end].replace("\"\"", "\""), true)
        } else {
            let end = rest.find(|char: char| char.is_whitespace() || char == '"').unwrap_or(rest.len());
            (end, rest[..end].to_owned(), false)
        };
        tokens.push(Token { text: word, is_quoted, at });
        rest = &rest[length..];
    }
}

/// Returns the place of the quote that ends a name in quotes.
fn end_of_quotes(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        at += text.get(at..)?.find('"')?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

impl From<&str> for Name<()> {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), at: () }
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
