//! Tools whose arguments are a type.

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::OperationError;
use crate::event::Decoy;
use crate::message::{ToolCallInputs, ToolOutput, ToolSpec};
use crate::operation::failure::IntoFailure;
use crate::operation::permit::Permit;
use crate::operation::tool::Tool;
use crate::operation::tool::args::{Args, ArgsError, OpenArgs, read, write};

/// The arguments of a tool, as a struct: with it, a tool has a name, a description and a schema, before there is
/// anything that runs it.
///
/// `#[derive(ToolArgs)]` implements it: see [there](derive@crate::ToolArgs).
///
/// ```
/// use exo_rails::prelude::*;
/// use serde::{Deserialize, Serialize};
/// use serde_json::json;
///
/// /// Deletes a file of the workspace.
/// #[derive(Serialize, Deserialize, ToolArgs)]
/// #[tool(name = "delete_file", schema = json!({
///     "type": "object",
///     "properties": { "path": { "type": "string" }, "recursive": { "type": "boolean" } },
///     "required": ["path"],
/// }))]
/// struct DeleteFile {
///     path: String,
///     #[serde(default)]
///     recursive: bool,
/// }
///
/// assert_eq!(DeleteFile::NAME, "delete_file");
/// assert_eq!(DeleteFile::DESCRIPTION, "Deletes a file of the workspace.");
///
/// let delete_file = DeleteFile::tool(|args| async move {
///     Ok::<_, OperationError>(format!("{} is gone, recursive: {}", args.path, args.recursive))
/// });
/// # let _ = delete_file;
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the arguments of a tool",
    label = "not the arguments of a tool",
    note = "they are a struct under `#[derive(Serialize, Deserialize, ToolArgs)]` and `#[tool(name = \"delete_file\")]`"
)]
pub trait ToolArgs: Json + Send + Sync + 'static {
    /// The name that the model calls the tool by.
    const NAME: &'static str;

    /// What the model is told about the tool; empty when there is nothing to say.
    const DESCRIPTION: &'static str;

    /// The name, with the type that it is the name of.
    #[doc(hidden)]
    const NAMED: Named<Self> = Named { name: Self::NAME, args: PhantomData };

    /// A JSON schema of the arguments.
    fn schema() -> Value;

    /// Name, description and schema, as the model is told.
    #[must_use]
    fn spec() -> ToolSpec {
        ToolSpec::new(Self::NAME, Self::DESCRIPTION, Self::schema())
    }

    /// The arguments of a call while a rail looks at them, for `&Args<Self>`.
    ///
    /// # Errors
    /// When they do not fit.
    #[doc(hidden)]
    fn open_args(call: &ToolCallInputs) -> Result<Args<Self>, ArgsError>
    where
        Self: Sized,
    {
        read(call).map(Args::new)
    }

    /// The arguments of a call while a rail may change them, for `&mut Args<Self>`.
    ///
    /// # Errors
    /// When they do not fit.
    #[doc(hidden)]
    fn open_args_mut(call: &ToolCallInputs) -> Result<OpenArgs<Self>, ArgsError>
    where
        Self: Sized,
    {
        OpenArgs::open(call)
    }

    /// The tool that runs this function: see [`Tool::new`].
    fn tool<F, Fut, O, E>(run: F) -> ToolFor<Self>
    where
        Self: Sized,
        F: Fn(Self) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, E>> + Send + 'static,
        O: Into<ToolOutput>,
        E: IntoFailure<OperationError>,
    {
        ToolFor::of(Tool::new(Self::NAME, Self::DESCRIPTION, Self::schema(), run))
    }

    /// The same, for a function that takes the permit as well: for the call's id, and for [`Permit::context`] with
    /// run state and cancellation.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// # use serde::{Deserialize, Serialize};
    /// # use serde_json::json;
    ///
    /// #[derive(Default)]
    /// struct Notes(Vec<String>);
    ///
    /// /// Takes a note.
    /// #[derive(Serialize, Deserialize, ToolArgs)]
    /// #[tool(name = "note", schema = json!({ "type": "object" }))]
    /// struct Note { text: String }
    ///
    /// let note = Note::tool_with_permit(|args, call| async move {
    ///     let count = call.scope().run.update(|notes: &mut Notes| { notes.0.push(args.text); notes.0.len() });
    ///     Ok::<_, OperationError>(format!("{count} notes"))
    /// });
    /// # let _ = note;
    /// ```
    fn tool_with_permit<F, Fut, O, E>(run: F) -> ToolFor<Self>
    where
        Self: Sized,
        F: Fn(Self, Permit<ToolCallInputs>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, E>> + Send + 'static,
        O: Into<ToolOutput>,
        E: IntoFailure<OperationError>,
    {
        ToolFor::of(Tool::typed(Self::spec(), run))
    }
}

/// What `#[derive(ToolArgs)]` writes. From it comes [`ToolArgs`]: rustc is asked not to list the implementation of the library
/// in messages. In the expansion, the attribute for that may have no name.
#[doc(hidden)]
pub trait DerivedToolArgs: Json + Send + Sync + 'static {
    /// See [`ToolArgs::NAME`]. Of the same name, rustc would propose neither to who mistypes it.
    const TOOL_NAME: &'static str;
    /// See [`ToolArgs::DESCRIPTION`].
    const TOOL_DESCRIPTION: &'static str;
    /// See [`ToolArgs::schema`].
    fn tool_schema() -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: DerivedToolArgs> ToolArgs for T {
    const NAME: &'static str = T::TOOL_NAME;
    const DESCRIPTION: &'static str = T::TOOL_DESCRIPTION;

    fn schema() -> Value {
        T::tool_schema()
    }
}

/// The name of the tool that takes the arguments `A`.
#[derive(Debug)]
pub struct Named<A> {
    name: &'static str,
    args: PhantomData<fn(A)>,
}

impl<A> Named<A> {
    pub(crate) const fn name(&self) -> &'static str {
        self.name
    }
}

/// A tool that takes the arguments `A`: made by [`ToolArgs::tool`].
///
/// It is a [`Tool`] of which the compiler knows which one it is.
///
/// ```
/// use exo_rails::{ToolFor, prelude::*};
/// # use serde::{Deserialize, Serialize};
/// # use serde_json::json;
///
/// #[derive(Serialize, Deserialize, ToolArgs)]
/// #[tool(name = "search", schema = json!({ "type": "object" }))]
/// struct Search { query: String }
///
/// fn search() -> ToolFor<Search> {
///     Search::tool(|args| async move { Ok::<_, OperationError>(format!("nothing found for {}", args.query)) })
/// }
///
/// assert_eq!(search().name(), "search");
/// let tool: Tool = search().into();
/// # let _ = tool;
/// ```
// Without a bound: what is no tool is reported once, where it is named.
pub struct ToolFor<A> {
    tool: Tool,
    args: PhantomData<fn(A)>,
}

impl<A> ToolFor<A> {
    const fn of(tool: Tool) -> Self {
        Self { tool, args: PhantomData }
    }

    /// The name that the model calls it by.
    #[must_use]
    pub fn name(&self) -> &str {
        self.tool.name()
    }

    /// What the model is told about it.
    #[must_use]
    pub const fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    /// Declares that two equal calls of the tool do no more than one: see [`Tool::idempotent`].
    #[must_use]
    pub fn idempotent(self) -> Self {
        Self::of(self.tool.idempotent())
    }

    /// Runs it.
    ///
    /// # Errors
    /// When the arguments do not fit, or the tool fails.
    pub fn call(
        &self,
        call: Permit<ToolCallInputs>,
    ) -> impl Future<Output = Result<ToolOutput, OperationError>> + Send + 'static {
        self.tool.call(call)
    }
}

impl<A> AsRef<Tool> for ToolFor<A> {
    fn as_ref(&self) -> &Tool {
        &self.tool
    }
}

impl<A> From<ToolFor<A>> for Tool {
    fn from(tool: ToolFor<A>) -> Self {
        tool.tool
    }
}

impl<A> Clone for ToolFor<A> {
    fn clone(&self) -> Self {
        Self::of(self.tool.clone())
    }
}

impl<A> fmt::Debug for ToolFor<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolFor").field("spec", self.spec()).finish_non_exhaustive()
    }
}

impl ToolCallInputs {
    /// A call with these arguments of the tool that takes them: for tests of rails and tools.
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
    /// let call = ToolCallInputs::of(&DeleteFile { path: "notes.txt".into() })?;
    /// assert_eq!(call.tool_name, "delete_file");
    /// assert_eq!(call.str_argument("path"), Some("notes.txt"));
    /// # Ok::<(), exo_rails::ArgsError>(())
    /// ```
    ///
    /// # Errors
    /// When the arguments cannot be written as JSON, such as a map whose keys are lists.
    pub fn of<A: ToolArgs>(args: &A) -> Result<Self, ArgsError> {
        Ok(Self::new(A::NAME).with_arguments(write(A::NAME, args)?))
    }
}

/// What can be read from JSON and written as JSON: both at once, so that a type which is neither is one message.
#[diagnostic::on_unimplemented(
    message = "the arguments of a tool are read from JSON and written as JSON: `{Self}` does not have both",
    label = "derive both: `#[derive(Serialize, Deserialize)]`",
    note = "the derives are those of `serde`: `use serde::{{Deserialize, Serialize}}`",
    note = "the arguments own their data: `String` and not `&str`"
)]
pub trait Json<Impl = ()>: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Json for T {}

/// See [`Decoy`]: without it, serde says what is missing, once for each of its traits.
#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned, Impl: Decoy> Json<Impl> for T {}

/// What has a JSON schema: whatever derives `JsonSchema`, with the feature `schemars`.
#[cfg_attr(
    feature = "schemars",
    diagnostic::on_unimplemented(
        message = "the tool has no schema of its arguments: `{Self}` does not derive `JsonSchema`",
        label = "no schema",
        note = "derive it: `#[derive(JsonSchema)]`, with `use exo_rails::schemars::{{self, JsonSchema}}`",
        note = "or write it: `#[tool(name = \"…\", schema = json!({{ … }}))]`"
    )
)]
#[cfg_attr(
    not(feature = "schemars"),
    diagnostic::on_unimplemented(
        message = "the tool has no schema of its arguments",
        label = "no schema",
        note = "write it: `#[tool(name = \"…\", schema = json!({{ … }}))]`",
        note = "or derive it: turn on the feature `schemars` of `exo-rails`, and write `#[derive(JsonSchema)]`"
    )
)]
pub trait HasSchema {
    /// The schema.
    fn schema() -> Value;
}

#[cfg(feature = "schemars")]
#[diagnostic::do_not_recommend]
impl<T: schemars::JsonSchema> HasSchema for T {
    fn schema() -> Value {
        // Providers differ in what they know of `$ref`; all of them know a schema that is written out.
        let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
            settings.meta_schema = None;
            settings.inline_subschemas = true;
        });
        let mut schema = settings.into_generator().into_root_schema_for::<T>();
        // The tool has a name and a description of its own.
        schema.remove("title");
        schema.remove("description");
        schema.to_value()
    }
}
