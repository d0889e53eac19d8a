//! Annotations of machines, nodes and edges.

use super::Value;
use crate::diagnostic::Place;

/// `@name`, `@name(value)` or `@name(a: 1; b: 2)`.
///
/// ```
/// let machine = exo_rails_dygram::read("flow.dygram", "State wait; wait -@timeout(500) @AUTO-> done; State done;").machine;
/// let edge = &machine.edges()[0];
/// assert!(edge.annotation("auto").is_some());
/// assert_eq!(edge.annotation("timeout").and_then(|timeout| timeout.number()), Some(500.0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// The name, as the file writes it.
    pub name: String,
    /// What is in the parentheses.
    pub argument: Argument,
    /// Where the annotation is.
    pub place: Place,
}

/// What is in the parentheses of an annotation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Argument {
    /// There are no parentheses.
    #[default]
    None,
    /// One value.
    Value(Value),
    /// Named parameters. Most of them have values.
    Parameters(Vec<(String, Option<Value>)>),
}

impl Annotation {
    /// Returns whether this is the name of the annotation. The comparison ignores case.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Returns the single value in the parentheses.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        match &self.argument {
            Argument::Value(value) => Some(value),
            Argument::None | Argument::Parameters(_) => None,
        }
    }

    /// Returns the value of a parameter.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&Value> {
        let Argument::Parameters(parameters) = &self.argument else { return None };
        parameters.iter().find(|(other, _)| other == name).and_then(|(_, value)| value.as_ref())
    }

    /// Returns the single value as a number. A number in quotes counts too, as in `@retry("3")`.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        let value = self.value()?;
        value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
    }

    /// Returns whether an annotation that switches something on is enabled. It is, unless its value or its parameter `enabled`
    /// is `false`.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.value().or_else(|| self.parameter("enabled")).and_then(Value::as_bool).unwrap_or(true)
    }
}
