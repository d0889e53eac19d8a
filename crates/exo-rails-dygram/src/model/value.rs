//! Values of attributes.

use std::fmt;

use super::Type;
use crate::diagnostic::Place;

/// A value in a file.
///
/// ```
/// use exo_rails_dygram::Value;
///
/// let machine = exo_rails_dygram::read("flow.dygram", "Context input { limit: 3; names: [\"a\", b]; };").machine;
/// let input = &machine.nodes()[0];
/// assert_eq!(input.attribute("limit").and_then(Value::as_f64), Some(3.0));
/// assert_eq!(input.attribute("names"), Some(&Value::List(vec!["a".into(), Value::Name("b".to_owned())])));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text in quotes.
    Text(String),
    /// A number.
    Number(Number),
    /// `true` or `false`
    Bool(bool),
    /// `null`
    Null,
    /// Another name, such as that of a node. It may have dots.
    Name(String),
    /// `#name`, without the `#`.
    External(String),
    /// `[a, b]`
    List(Vec<Value>),
    /// `{ a: 1; b: 2; }`
    Object(Vec<Attribute>),
}

impl Value {
    /// Returns the text, if this is a text in quotes or a name.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Name(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the number, if this is one.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number.as_f64()),
            _ => None,
        }
    }

    /// Returns the boolean, if this is `true` or `false`. Quotes are allowed, because older files have them.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            Self::Text(text) => text.trim().to_ascii_lowercase().parse().ok(),
            _ => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Number(Number(value.to_string()))
    }
}

/// A number as the file writes it, so that no digit is lost.
///
/// ```
/// use exo_rails_dygram::Number;
///
/// let number: Number = "-12.50".parse()?;
/// assert_eq!((number.as_f64(), number.as_i64()), (-12.5, None));
/// assert_eq!(number.to_string(), "-12.50");
/// # Ok::<(), std::num::ParseFloatError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(String);

impl Number {
    /// Makes a number from a text that the parser has checked.
    pub(crate) fn from_text(text: String) -> Self {
        Self(text)
    }

    /// Returns the nearest `f64`.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }

    /// Returns the number, if the file writes it as an integer and it fits into an `i64`.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }
}

impl std::str::FromStr for Number {
    type Err = std::num::ParseFloatError;

    /// Reads a number as files write it: digits, and optionally a fraction and an exponent.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<f64>()?;
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_whole = crate::syntax::lex(digits)
            .first()
            .is_some_and(|token| token.kind == crate::syntax::TokenKind::Number && token.span.end == digits.len());
        // The standard library has no other way to make this error.
        if is_whole { Ok(Self(text.to_owned())) } else { "".parse::<f64>().map(|_| Self(text.to_owned())) }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A name with a type and a value: `limit<number>: 3;`. In a context, this is a field.
///
/// ```
/// use exo_rails_dygram::Attribute;
///
/// let limit = Attribute::new("limit", 3_i64);
/// assert_eq!(limit.name, "limit");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribute {
    /// The name.
    pub name: String,
    /// The type, if the file has one.
    pub ty: Option<Type>,
    /// The value, if the file has one.
    pub value: Option<Value>,
    /// Where the attribute is.
    pub place: Place,
    /// Where its value is.
    pub value_place: Place,
}

impl Attribute {
    /// Makes an attribute without a type.
    #[must_use]
    pub fn new(name: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { name: name.into(), value: Some(value.into()), ..Self::default() }
    }
}
