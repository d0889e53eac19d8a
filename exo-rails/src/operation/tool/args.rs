//! The typed arguments of a tool call. A rail can change them, and the library writes the changes into the call.

use std::any::type_name;
use std::ops::{Deref, DerefMut};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::OperationError;
use crate::message::ToolCallInputs;
use crate::operation::tool::args_error::{ArgsError, at};
use crate::operation::tool::mismatch::{self, Mismatch};
use crate::operation::tool::tool_args::ToolArgs;
use crate::operation::tool::write_back::Change;

/// The arguments of a call of the tool `T`, read into their type.
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
// Without a bound: rustc reports a type that is not the arguments of a tool once, at the bound in the expansion.
pub struct Args<T>(T);

impl<T> Args<T> {
    /// Wraps arguments. Use it to test code that takes `Args`.
    #[must_use]
    pub const fn new(args: T) -> Self {
        Self(args)
    }

    /// Reads the arguments of a call. Use it in rails and hooks that handle calls of several tools.
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
    /// Returns an error if the arguments do not fit the type. The method does not check that the call names this tool.
    pub fn of(call: &ToolCallInputs) -> Result<Self, ArgsError>
    where
        T: ToolArgs,
    {
        read(call).map(Self)
    }

    /// Returns the arguments without the wrapper.
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

/// Returns the name of a type without its modules. Only the modules before the first `<` are removed, because
/// `Batch<DeleteFile>` for `a::Batch<b::DeleteFile>` would need a new string.
fn short_name<A>() -> &'static str {
    let name = type_name::<A>();
    let end = name.find('<').unwrap_or(name.len());
    name[..end].rfind("::").map_or(name, |colons| &name[colons + 2..])
}

/// Rejects arguments that are text but not JSON, because a tool would have to guess their meaning.
pub(crate) fn ensure_json(call: &ToolCallInputs) -> Result<(), ArgsError> {
    let Value::String(text) = &call.arguments else { return Ok(()) };
    // Reads a `Value`, because text may contain half of a character or a number out of range, which a `Value` cannot
    // hold.
    match serde_json::from_str::<Value>(text) {
        Ok(_) => Ok(()),
        Err(source) => Err(ArgsError::NotJson { tool_name: call.tool_name.clone(), source }),
    }
}

/// Reads the arguments of a call into a type, for rails.
pub(crate) fn read<A: DeserializeOwned>(call: &ToolCallInputs) -> Result<A, ArgsError> {
    typed(call).map_err(|unfit| unfit.error)
}

/// Reads the arguments of a call into a type, for a tool. The model reads the error.
pub(crate) fn read_for_tool<A: DeserializeOwned>(call: &ToolCallInputs) -> Result<A, OperationError> {
    typed(call).map_err(|Unfit { error, value }| match value {
        None => error.into(),
        Some(value) => OperationError { message: error.with_value(&value), ..error.into() },
    })
}

/// The reason why arguments cannot be read.
struct Unfit {
    error: ArgsError,
    /// The place, the reason and the value that does not fit.
    value: Option<String>,
}

/// Reads the arguments of a call into a type. Tools and rails both read arguments with this function only.
fn typed<A: DeserializeOwned>(call: &ToolCallInputs) -> Result<A, Unfit> {
    let tool_name = || call.tool_name.clone();
    // serde reads a list into a struct by the order of the fields, but rails look at arguments by their names.
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

/// Writes arguments as JSON.
pub(crate) fn write<A: Serialize>(tool_name: &str, args: &A) -> Result<Value, ArgsError> {
    serde_json::to_value(args)
        .map_err(|_| ArgsError::Unwritable { tool_name: tool_name.to_owned(), type_name: short_name::<A>() })
}

/// The arguments of a call for a rail that takes `&mut Args<T>`.
#[doc(hidden)]
#[derive(Debug)]
pub struct OpenArgs<T> {
    /// The value that the rail receives.
    pub args: Args<T>,
    /// The JSON of the arguments before the rail.
    before: Value,
}

impl<T: ToolArgs> OpenArgs<T> {
    /// Reads the arguments.
    ///
    /// # Errors
    /// Returns an error if they do not fit the type.
    pub fn open(call: &ToolCallInputs) -> Result<Self, ArgsError> {
        let args = T::open_args(call)?;
        let before = write(&call.tool_name, &*args)?;
        Ok(Self { args, before })
    }

    /// Writes the changes of the rail, and nothing else, into the call.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, if the arguments cannot be written, or if the tool would read different
    /// arguments than the rail has left.
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
