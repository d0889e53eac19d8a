//! The error for arguments of a tool call that do not fit the tool.

use crate::error::OperationError;
use crate::message::OperationErrorKind;

/// The error for arguments of a tool call that do not fit the tool.
///
/// The error reports the place and the expected type. It never contains values of the arguments, because the
/// [fault](crate::RailFault) of a rail is logged. If a tool cannot read its arguments, the model also reads the value
/// that does not fit. The model has written this value itself, and the rails before the call have allowed it.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::NoRails;
/// # use serde::{Deserialize, Serialize};
/// use serde_json::json;
///
/// #[derive(Serialize, Deserialize, ToolArgs)]
/// #[tool(name = "delete_files", schema = json!({ "type": "object" }))]
/// struct DeleteFiles { paths: Vec<String> }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let delete = DeleteFiles::tool(|args| async move { Ok::<_, OperationError>(args.paths.len().to_string()) });
/// let call = ToolCallInputs::new("delete_files").with_arguments(json!({ "paths": ["a.txt", 5] }));
/// let mut ctx = RunContext::new("demo");
/// let run = NoRails.guard_tool_call(call, &mut ctx, |call| delete.call(call));
/// // What the model reads:
/// assert_eq!(
///     run.await?.content,
///     "The call of `delete_files` failed: the arguments of `delete_files` do not fit `DeleteFiles`: \
///      at `paths[1]`: invalid type: integer `5`, expected a string (invalid request)",
/// );
/// # Ok(()) }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArgsError {
    /// The arguments are a list. A list has no names that a rail could look for.
    #[error("the arguments of `{tool_name}` are a list: an object is expected")]
    List {
        /// The name of the tool.
        tool_name: String,
    },
    /// The arguments are text that the model wrote and that is not JSON.
    #[error("the arguments of `{tool_name}` are not JSON: {source}")]
    NotJson {
        /// The name of the tool.
        tool_name: String,
        /// The error of the JSON parser.
        source: serde_json::Error,
    },
    /// The arguments do not fit the type.
    #[error("the arguments of `{tool_name}` do not fit `{type_name}`: {}{mismatch}", at(path))]
    Mismatch {
        /// The name of the tool.
        tool_name: String,
        /// The type of the arguments, without its modules.
        type_name: &'static str,
        /// The place in the arguments, such as `targets[2].path`. Empty if the error is about all arguments. `*` stands
        /// for a name that the type does not declare, such as a key of a map.
        path: String,
        /// The reason why they do not fit, such as `invalid type: integer, expected a string`.
        mismatch: String,
    },
    /// The arguments have the type but cannot be written as JSON, such as a map whose keys are lists.
    #[error(
        "the arguments of `{tool_name}` cannot be written as JSON: the `Serialize` of `{type_name}` returns an error"
    )]
    Unwritable {
        /// The name of the tool.
        tool_name: String,
        /// The type of the arguments, without its modules.
        type_name: &'static str,
    },
    /// After a change by a rail, the tool would read different arguments than the rail has left.
    #[error(
        "the arguments of `{tool_name}` would lose the changes of a rail: `Serialize` and `Deserialize` of `{type_name}` do not agree"
    )]
    NotKept {
        /// The name of the tool.
        tool_name: String,
        /// The type of the arguments, without its modules.
        type_name: &'static str,
    },
}

/// Returns the place in the arguments, for a message.
pub(super) fn at(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("at `{path}`: ") }
}

impl ArgsError {
    /// Returns the text of the error with the value that does not fit.
    pub(super) fn with_value(&self, value: &str) -> String {
        match self {
            Self::Mismatch { tool_name, type_name, .. } => {
                format!("the arguments of `{tool_name}` do not fit `{type_name}`: {value}")
            }
            other => other.to_string(),
        }
    }

    /// Returns the name of the tool.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        match self {
            Self::List { tool_name }
            | Self::NotJson { tool_name, .. }
            | Self::Mismatch { tool_name, .. }
            | Self::Unwritable { tool_name, .. }
            | Self::NotKept { tool_name, .. } => tool_name,
        }
    }
}

impl From<ArgsError> for OperationError {
    fn from(error: ArgsError) -> Self {
        Self::new(OperationErrorKind::InvalidRequest, error.to_string()).with_source(error)
    }
}
