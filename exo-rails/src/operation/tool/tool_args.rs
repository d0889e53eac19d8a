//! Tools with typed arguments.

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::OperationError;
use crate::event::Decoy;
use crate::message::{ToolCallInputs, ToolOutput, ToolSpec};
use crate::operation::guarded::{GuardedFuture, ToolFunction};
use crate::operation::permit::Permit;
use crate::operation::tool::Tool;
use crate::operation::tool::args::{Args, OpenArgs, read, write};
use crate::operation::tool::args_error::ArgsError;

/// The arguments of a tool, as a struct. The type has the name, the description and the schema of the tool, even before
/// a function that runs the tool exists.
///
/// Derive it with [`#[derive(ToolArgs)]`](derive@crate::ToolArgs).
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
    message = "`{Self}` is not a type for the arguments of a tool",
    label = "not a type for the arguments of a tool",
    note = "write `#[derive(Serialize, Deserialize, ToolArgs)]` and `#[tool(name = \"delete_file\")]` above a struct"
)]
pub trait ToolArgs: Json + Send + Sync + 'static {
    /// The name by which the model calls the tool.
    const NAME: &'static str;

    /// The description of the tool for the model. Empty if there is none.
    const DESCRIPTION: &'static str;

    /// The name of the tool, together with the type of its arguments.
    #[doc(hidden)]
    const NAMED: Named<Self> = Named { name: Self::NAME, args: PhantomData };

    /// The fields whose names in JSON differ from their names in Rust: both names of each. A field without a name in JSON, such
    /// as a flattened one, has an empty name.
    #[doc(hidden)]
    const RENAMED: &'static [(&'static str, &'static str)] = &[];

    /// Returns a JSON schema of the arguments.
    fn schema() -> Value;

    /// Returns the name, the description and the schema, in the form for the model.
    #[must_use]
    fn spec() -> ToolSpec {
        ToolSpec::new(Self::NAME, Self::DESCRIPTION, Self::schema())
    }

    /// Reads the arguments of a call for a rail that takes `&Args<Self>`.
    ///
    /// # Errors
    /// Returns an error if they do not fit the type.
    #[doc(hidden)]
    fn open_args(call: &ToolCallInputs) -> Result<Args<Self>, ArgsError>
    where
        Self: Sized,
    {
        read(call).map(Args::new)
    }

    /// Reads the arguments of a call for a rail that takes `&mut Args<Self>`.
    ///
    /// # Errors
    /// Returns an error if they do not fit the type.
    #[doc(hidden)]
    fn open_args_mut(call: &ToolCallInputs) -> Result<OpenArgs<Self>, ArgsError>
    where
        Self: Sized,
    {
        OpenArgs::open(call)
    }

    /// Makes the tool from a function that runs it: see [`Tool::new`].
    fn tool<F>(run: F) -> ToolFor<Self>
    where
        Self: Sized,
        F: ToolFunction<Self>,
        F: FnOnce(Self) -> <F as ToolFunction<Self>>::Future,
    {
        ToolFor::of(Tool::new(Self::NAME, Self::DESCRIPTION, Self::schema(), run))
    }

    /// Makes the tool from a function that takes the permit too. The permit has the id of the call, and its
    /// [`context`](Permit::context) has the run's state and cancellation.
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
    fn tool_with_permit<F, Fut>(run: F) -> ToolFor<Self>
    where
        Self: Sized,
        F: FnOnce(Self, Permit<ToolCallInputs>) -> Fut + Clone + Send + Sync + 'static,
        Fut: GuardedFuture<ToolOutput> + Send + 'static,
    {
        ToolFor::of(Tool::typed(Self::spec(), run))
    }
}

/// The trait that `#[derive(ToolArgs)]` implements. The library implements [`ToolArgs`] for it, because this
/// implementation can ask rustc not to list it in messages. An expansion cannot always name the attribute for this.
#[doc(hidden)]
pub trait DerivedToolArgs: Json + Send + Sync + 'static {
    /// See [`ToolArgs::NAME`]. The constant has another name, because rustc proposes neither of two constants with one
    /// name to a user who mistypes it.
    const TOOL_NAME: &'static str;
    /// See [`ToolArgs::DESCRIPTION`].
    const TOOL_DESCRIPTION: &'static str;
    /// See [`ToolArgs::RENAMED`].
    const RENAMED_FIELDS: &'static [(&'static str, &'static str)] = &[];
    /// See [`ToolArgs::schema`].
    fn tool_schema() -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: DerivedToolArgs> ToolArgs for T {
    const NAME: &'static str = T::TOOL_NAME;
    const DESCRIPTION: &'static str = T::TOOL_DESCRIPTION;
    const RENAMED: &'static [(&'static str, &'static str)] = T::RENAMED_FIELDS;

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

/// A tool that takes the arguments `A`. [`ToolArgs::tool`] makes it.
///
/// Unlike a [`Tool`], it has a type that names its arguments, so the compiler knows which tool it is.
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
// Without a bound: rustc reports a type that is not the arguments of a tool once, where the user names it.
pub struct ToolFor<A> {
    tool: Tool,
    args: PhantomData<fn(A)>,
}

impl<A> ToolFor<A> {
    const fn of(tool: Tool) -> Self {
        Self { tool, args: PhantomData }
    }

    /// Returns the name by which the model calls the tool.
    #[must_use]
    pub fn name(&self) -> &str {
        self.tool.name()
    }

    /// Returns the description of the tool for the model.
    #[must_use]
    pub const fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    /// Declares that two equal calls of the tool have the same effect as one call: see [`Tool::idempotent`].
    #[must_use]
    pub fn idempotent(self) -> Self {
        Self::of(self.tool.idempotent())
    }

    /// Runs the tool.
    ///
    /// # Errors
    /// Returns an error if the permit is for another tool or its guard has ended, if the arguments do not fit, or if
    /// the tool fails.
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
    /// Makes a call of the tool that takes these arguments. Use it to test rails and tools.
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
    /// Returns an error if the arguments cannot be written as JSON, such as a map whose keys are lists.
    pub fn of<A: ToolArgs>(args: &A) -> Result<Self, ArgsError> {
        Ok(Self::new(A::NAME).with_arguments(write(A::NAME, args)?))
    }
}

/// Types that serde can read from JSON and write as JSON. It is one trait, so that rustc reports one error for a type
/// that has neither.
#[diagnostic::on_unimplemented(
    message = "the library reads the arguments of a tool from JSON and writes them as JSON: `{Self}` does not support both",
    label = "derive both: `#[derive(Serialize, Deserialize)]`",
    note = "the derives are from `serde`: `use serde::{{Deserialize, Serialize}}`",
    note = "the arguments must own their data: write `String`, not `&str`"
)]
pub trait Json<Impl = ()>: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Json for T {}

/// See [`Decoy`]: without this implementation, rustc reports each missing trait of serde.
#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned, Impl: Decoy> Json<Impl> for T {}

/// Types with a JSON schema. With the feature `schemars`, these are all types that derive `JsonSchema`.
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
    /// Returns the schema.
    fn schema() -> Value;
}

#[cfg(feature = "schemars")]
#[diagnostic::do_not_recommend]
impl<T: schemars::JsonSchema> HasSchema for T {
    fn schema() -> Value {
        // Providers support `$ref` in different ways, but all of them support a schema without references.
        let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
            settings.meta_schema = None;
            settings.inline_subschemas = true;
        });
        let mut schema = settings.into_generator().into_root_schema_for::<T>();
        // The tool has its own name and description.
        schema.remove("title");
        schema.remove("description");
        schema.to_value()
    }
}
