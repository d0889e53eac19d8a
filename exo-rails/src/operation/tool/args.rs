//! The arguments of a tool call as a type: read from the call, and written back where a rail has changed them.

use std::any::type_name;
use std::ops::{Deref, DerefMut};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::OperationError;
use crate::message::OperationErrorKind;
use crate::message::ToolCallInputs;
use crate::operation::tool::mismatch::{self, Mismatch};
use crate::operation::tool::tool_args::ToolArgs;
use crate::operation::tool::write_back::Change;

/// The arguments of a call of the tool `T`, as the type that they have.
///
/// ```
/// use exo_rails::Args;
/// # use exo_rails::prelude::*;
/// # use serde::{Deserialize, Serialize};
/// # use serde_json::json;
///
/// #[derive(Serialize, Deserialize, ToolArgs)]
/// #[tool(name = "delete_file", schema = json!({ "type": "object" }))]
/// struct DeleteFile { path: String }
///
/// let mut args = Args::new(DeleteFile { path: "orders.csv".into() });
/// args.path.insert_str(0, "trash/");
/// assert_eq!(args.into_inner().path, "trash/orders.csv");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
// Without a bound, so that a type that is none is told once, where the macro asks for it.
pub struct Args<T>(T);

impl<T> Args<T> {
    /// These arguments: for tests of what takes them.
    #[must_use]
    pub const fn new(args: T) -> Self {
        Self(args)
    }

    /// The arguments of a call: for rails and hooks that look at calls of several tools.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// # use serde::{Deserialize, Serialize};
    /// # use serde_json::json;
    ///
    /// #[derive(Serialize, Deserialize, ToolArgs)]
    /// #[tool(name = "delete_file", schema = json!({ "type": "object" }))]
    /// struct DeleteFile { path: String }
    ///
    /// let call = ToolCallInputs::new("delete_file").with_arguments(json!({ "path": 5 }));
    /// let Err(error) = Args::<DeleteFile>::of(&call) else { panic!("it fits") };
    /// assert!(error.to_string().ends_with("at `path`: invalid type: integer, expected a string"));
    /// ```
    ///
    /// # Errors
    /// When they do not fit. Whether it is a call of this tool is not asked.
    pub fn of(call: &ToolCallInputs) -> Result<Self, ArgsError>
    where
        T: ToolArgs,
    {
        read(call).map(Self)
    }

    /// The arguments alone.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Args<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Args<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// The arguments of a tool call are not what its tool takes.
///
/// The error says the place and what is expected there, and never what is in the arguments: as the [fault](crate::RailFault) of a
/// rail, it is logged. When a tool cannot read its arguments, the model also reads the value that does not fit. The model
/// wrote that value itself, and the rails before the call have let it pass.
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
    /// They are a list, which has no names that a rail could look at.
    #[error("the arguments of `{tool_name}` are a list: an object is expected")]
    List {
        /// The tool.
        tool_name: String,
    },
    /// They are text that is not JSON: what the model wrote.
    #[error("the arguments of `{tool_name}` are not JSON: {source}")]
    NotJson {
        /// The tool.
        tool_name: String,
        /// What is wrong with the text.
        source: serde_json::Error,
    },
    /// They do not fit the type.
    #[error("the arguments of `{tool_name}` do not fit `{type_name}`: {}{mismatch}", at(path))]
    Mismatch {
        /// The tool.
        tool_name: String,
        /// The type that its arguments have, without the modules that it is in.
        type_name: &'static str,
        /// Where in the arguments, such as `targets[2].path`; empty when it is about all of them. A name that the type does not
        /// declare, such as a key of a map, is `*`.
        path: String,
        /// What does not fit, such as `invalid type: integer, expected a string`.
        mismatch: String,
    },
    /// They have the type but cannot be written as JSON, such as a map whose keys are lists.
    #[error("the arguments of `{tool_name}`, a `{type_name}`, cannot be written as JSON: its `Serialize` refuses them")]
    Unwritable {
        /// The tool.
        tool_name: String,
        /// The type that its arguments have, without the modules that it is in.
        type_name: &'static str,
    },
    /// What a rail has left in them is not what the tool would read.
    #[error(
        "the arguments of `{tool_name}` would not be read as a rail has changed them: `Serialize` and `Deserialize` of `{type_name}` do not agree"
    )]
    NotKept {
        /// The tool.
        tool_name: String,
        /// The type that its arguments have, without the modules that it is in.
        type_name: &'static str,
    },
}

fn at(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("at `{path}`: ") }
}

impl ArgsError {
    /// The same text about a mismatch, with the value that does not fit.
    fn with_value(&self, value: &str) -> String {
        match self {
            Self::Mismatch { tool_name, type_name, .. } => {
                format!("the arguments of `{tool_name}` do not fit `{type_name}`: {value}")
            }
            other => other.to_string(),
        }
    }

    /// The tool whose arguments they are.
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

/// The name of a type without the modules that it is in: `Batch<DeleteFile>` for `a::Batch<b::DeleteFile>` would need
/// a text of its own, so only those before the first `<` are left out.
fn short_name<A>() -> &'static str {
    let name = type_name::<A>();
    let end = name.find('<').unwrap_or(name.len());
    name[..end].rfind("::").map_or(name, |colons| &name[colons + 2..])
}

/// Refuses arguments that are text and not JSON: a tool would have to guess what the model meant.
pub(crate) fn ensure_json(call: &ToolCallInputs) -> Result<(), ArgsError> {
    let Value::String(text) = &call.arguments else { return Ok(()) };
    // As a value: half of a character, or a number beyond all bounds, is text that a value cannot hold.
    match serde_json::from_str::<Value>(text) {
        Ok(_) => Ok(()),
        Err(source) => Err(ArgsError::NotJson { tool_name: call.tool_name.clone(), source }),
    }
}

/// The arguments of a call as this type, for rails.
pub(crate) fn read<A: DeserializeOwned>(call: &ToolCallInputs) -> Result<A, ArgsError> {
    typed(call).map_err(|unfit| unfit.error)
}

/// The same for a tool, whose error the model reads.
pub(crate) fn read_for_tool<A: DeserializeOwned>(call: &ToolCallInputs) -> Result<A, OperationError> {
    typed(call).map_err(|Unfit { error, value }| match value {
        None => error.into(),
        Some(value) => OperationError { message: error.with_value(&value), ..error.into() },
    })
}

/// Why arguments cannot be read.
struct Unfit {
    error: ArgsError,
    /// What does not fit, and where, with the value.
    value: Option<String>,
}

/// The arguments of a call as this type. This is the one way to them: for tools as for rails.
fn typed<A: DeserializeOwned>(call: &ToolCallInputs) -> Result<A, Unfit> {
    let tool_name = || call.tool_name.clone();
    // A list fits a struct by the order of its fields, but rails look at arguments by their names.
    if call.arguments.is_array() {
        return Err(Unfit { error: ArgsError::List { tool_name: tool_name() }, value: None });
    }
    A::deserialize(&call.arguments).map_err(|error| {
        let Mismatch { path, full_path, text } = mismatch::of::<A>(&call.arguments);
        let value = Some(format!("{}{error}", at(&full_path)));
        let error = ArgsError::Mismatch { tool_name: tool_name(), type_name: short_name::<A>(), path, mismatch: text };
        Unfit { error, value }
    })
}

/// Arguments as JSON.
pub(crate) fn write<A: Serialize>(tool_name: &str, args: &A) -> Result<Value, ArgsError> {
    serde_json::to_value(args)
        .map_err(|_| ArgsError::Unwritable { tool_name: tool_name.to_owned(), type_name: short_name::<A>() })
}

/// The arguments of a call while a rail may change them, for `&mut Args<T>`.
#[doc(hidden)]
#[derive(Debug)]
pub struct OpenArgs<T> {
    /// What the rail receives.
    pub args: Args<T>,
    /// How they were written before the rail.
    before: Value,
}

impl<T: ToolArgs> OpenArgs<T> {
    /// Reads them.
    ///
    /// # Errors
    /// When they do not fit.
    pub fn open(call: &ToolCallInputs) -> Result<Self, ArgsError> {
        let args = T::open_args(call)?;
        let before = write(&call.tool_name, &*args)?;
        Ok(Self { args, before })
    }

    /// Writes what has been changed, and only that, into the call.
    ///
    /// # Errors
    /// When they cannot be written, or would be read as something else than what was written: nothing is changed then.
    pub fn write_back(self, call: &mut ToolCallInputs) -> Result<(), ArgsError> {
        let after = write(&call.tool_name, &*self.args)?;
        if after == self.before {
            return Ok(());
        }
        let Some(written) = Change::<T>::new(&call.arguments, &self.before, &after).written() else {
            return Err(ArgsError::NotKept { tool_name: call.tool_name.clone(), type_name: short_name::<T>() });
        };
        call.arguments = written;
        Ok(())
    }
}
