//! Permissions, and why an access is refused.

use exo_rails_dygram::Fields;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a node may read and write in a context. All names are case-sensitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The path of the context.
    pub context: String,
    /// The fields that the node may read.
    pub reads: Fields,
    /// The fields that the node may write.
    pub writes: Fields,
}

/// A field that was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// The path of the context.
    pub context: String,
    /// The name of the field.
    pub field: String,
    /// The value before. `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The value that was written.
    pub after: Value,
}

/// Why a node may not read or write.
///
/// The model reads these messages too, so they name only what the node may use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The values do not fit the type of the context.
    #[error("the values would not fit the type of `{context}`: {cause}")]
    Value {
        /// The context.
        context: String,
        /// What does not fit.
        cause: String,
    },
    /// The node has no permission for the context.
    #[error("this node may not {verb} `{context}`{}", but_may(verb, allowed))]
    Context {
        /// The context.
        context: String,
        /// `read` or `write`.
        verb: &'static str,
        /// The contexts that the node may use in this way.
        allowed: Vec<String>,
    },
    /// The node has no permission for the field.
    #[error("this node may not {verb} `{field}` of `{context}`{}", but_may(verb, allowed))]
    Field {
        /// The context.
        context: String,
        /// The field.
        field: String,
        /// `read` or `write`.
        verb: &'static str,
        /// The fields that the node may use in this way.
        allowed: Vec<String>,
    },
    /// The context declares its fields, and the field is not one of them.
    #[error("`{context}` has no field `{field}`{}", similar.as_ref().map(|name| format!(": write `{name}`")).unwrap_or_default())]
    Unknown {
        /// The context.
        context: String,
        /// The field.
        field: String,
        /// A similar field that the node may use in this way.
        similar: Option<String>,
    },
    /// The value has the wrong type.
    #[error("`{field}` of `{context}` has the type `{expected}`, and the value is {found}")]
    Type {
        /// The context.
        context: String,
        /// The field.
        field: String,
        /// The type.
        expected: String,
        /// What the value is, such as `a string`.
        found: &'static str,
    },
    /// The value is nested too deeply, so a saved state could not be read again.
    #[error("the value for `{field}` of `{context}` is nested deeper than {limit} levels")]
    Deep {
        /// The context.
        context: String,
        /// The field.
        field: String,
        /// The limit.
        limit: usize,
    },
    /// The call names no field.
    #[error("nothing to write to `{context}`: pass `field` and `value`, or several fields in `data`")]
    Nothing {
        /// The context.
        context: String,
    },
}

fn but_may(verb: &str, names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!(", but it may {verb} {}", names.join(", ")) }
}

pub(super) fn readable<'g>(grants: &'g [Grant], context: &str) -> Result<&'g Grant, AccessError> {
    granted(grants, context, "read", |grant| !grant.reads.is_empty())
}

pub(super) fn writable<'g>(grants: &'g [Grant], context: &str) -> Result<&'g Grant, AccessError> {
    granted(grants, context, "write", |grant| !grant.writes.is_empty())
}

fn granted<'g>(
    grants: &'g [Grant],
    context: &str,
    verb: &'static str,
    may: impl Fn(&Grant) -> bool,
) -> Result<&'g Grant, AccessError> {
    grants.iter().find(|grant| grant.context == context && may(grant)).ok_or_else(|| {
        let allowed = grants.iter().filter(|grant| may(grant)).map(|grant| grant.context.clone()).collect();
        AccessError::Context { context: context.to_owned(), verb, allowed }
    })
}
