//! Conditions of rules about one argument of a call.

use std::fmt;

use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a rule requires of one argument. All fields that are set must hold.
///
/// In a configuration, a value that is not a table is short for `equals`: `arguments = { branch = "main" }`.
///
/// The same condition is read in two ways:
///
/// | | in a rule that lets calls run (`allow`, `notify`) | in a rule that stops calls (`ask`, `deny`) |
/// |---|---|---|
/// | where | exactly at the JSON pointer. With `*` in it, all values there must match | also at other spellings of the names, in lists, and in texts that contain JSON |
/// | a list or an object | only `equals` and `exists` match it | matches if one value in it matches |
/// | texts | as they are | also without regard to case, the number of spaces, invisible characters and look-alikes, and after codes such as `%41` are decoded |
/// | numbers | only JSON numbers | also numbers in texts. A value that is not a number may match |
/// | `regex` | matches the whole text | matches a part of the text |
/// | the argument is missing | does not match, except `exists = false` | may match: see [`if_missing`](Self::if_missing) |
///
/// ```
/// use exo_rails_policy::permissions::ArgumentCondition;
///
/// let small = ArgumentCondition { min: Some(0.0), max: Some(50.0), ..ArgumentCondition::default() };
/// let main_branch = ArgumentCondition::equals("main");
/// let public = ArgumentCondition::glob("public-*");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ArgumentCondition {
    /// The value is equal to this value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<Value>,
    /// The value is equal to one of these values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<Value>,
    /// The text matches the glob. `*` matches any characters, also `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// The text matches the regular expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// The text begins with this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// The text contains this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// The number is at least this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The number is at most this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The argument exists (`true`) or does not exist (`false`). `null` is like a missing argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
    /// What a rule that stops calls does if the argument is missing. Rules that let calls run never match then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_missing: Option<IfMissing>,
}

/// What a condition of a rule that stops calls says about a missing argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IfMissing {
    /// The condition may hold, because the tool may have a default. So the call is never allowed without a question.
    #[default]
    Unknown,
    /// The condition holds.
    Match,
    /// The condition does not hold.
    NoMatch,
}

impl ArgumentCondition {
    /// The value is equal to `value`.
    #[must_use]
    pub fn equals(value: impl Into<Value>) -> Self {
        Self { equals: Some(value.into()), ..Self::default() }
    }

    /// The text matches the glob.
    #[must_use]
    pub fn glob(pattern: impl Into<String>) -> Self {
        Self { glob: Some(pattern.into()), ..Self::default() }
    }

    /// The text matches the regular expression.
    #[must_use]
    pub fn regex(pattern: impl Into<String>) -> Self {
        Self { regex: Some(pattern.into()), ..Self::default() }
    }

    /// The text begins with `text`.
    #[must_use]
    pub fn prefix(text: impl Into<String>) -> Self {
        Self { prefix: Some(text.into()), ..Self::default() }
    }

    /// The text contains `text`.
    #[must_use]
    pub fn contains(text: impl Into<String>) -> Self {
        Self { contains: Some(text.into()), ..Self::default() }
    }

    /// The number is at least `number`.
    #[must_use]
    pub fn min(number: f64) -> Self {
        Self { min: Some(number), ..Self::default() }
    }

    /// The number is at most `number`.
    #[must_use]
    pub fn max(number: f64) -> Self {
        Self { max: Some(number), ..Self::default() }
    }

    /// The argument exists or does not exist.
    #[must_use]
    pub fn exists(exists: bool) -> Self {
        Self { exists: Some(exists), ..Self::default() }
    }
}

/// The fields of a condition, as a table has them.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ConditionTable {
    equals: Option<Value>,
    one_of: Vec<Value>,
    glob: Option<String>,
    regex: Option<String>,
    prefix: Option<String>,
    contains: Option<String>,
    min: Option<f64>,
    max: Option<f64>,
    exists: Option<bool>,
    if_missing: Option<IfMissing>,
}

impl From<ConditionTable> for ArgumentCondition {
    fn from(table: ConditionTable) -> Self {
        let ConditionTable { equals, one_of, glob, regex, prefix, contains, min, max, exists, if_missing } = table;
        Self { equals, one_of, glob, regex, prefix, contains, min, max, exists, if_missing }
    }
}

impl<'de> Deserialize<'de> for ArgumentCondition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TableOrValue;

        impl<'de> Visitor<'de> for TableOrValue {
            type Value = ArgumentCondition;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table such as `{ max = 50 }`, or the value that the argument equals")
            }

            fn visit_bool<E: de::Error>(self, value: bool) -> Result<ArgumentCondition, E> {
                Ok(ArgumentCondition::equals(value))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<ArgumentCondition, E> {
                Ok(ArgumentCondition::equals(value))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<ArgumentCondition, E> {
                Ok(ArgumentCondition::equals(value))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<ArgumentCondition, E> {
                Ok(ArgumentCondition::equals(value))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<ArgumentCondition, E> {
                Ok(ArgumentCondition::equals(value))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<ArgumentCondition, A::Error> {
                Vec::<Value>::deserialize(de::value::SeqAccessDeserializer::new(items)).map(ArgumentCondition::equals)
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<ArgumentCondition, A::Error> {
                ConditionTable::deserialize(de::value::MapAccessDeserializer::new(fields)).map(ArgumentCondition::from)
            }
        }

        deserializer.deserialize_any(TableOrValue)
    }
}
