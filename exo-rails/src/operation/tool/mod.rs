//! The tools of an agent.

pub(crate) mod args;
pub(crate) mod args_error;
mod mismatch;
pub(crate) mod tool_args;
pub(crate) mod tool_set;
mod write_back;

pub use args::*;
pub use args_error::*;
pub use tool_args::*;
pub use tool_set::*;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::error::OperationError;
use crate::message::OperationErrorKind;
use crate::message::{IntoSchema, ToolCallInputs, ToolOutput, ToolSpec};
use crate::operation::guarded::{GuardedFuture, ToolFunction, converted};
use crate::operation::permit::Permit;

type ToolFuture = Pin<Box<dyn Future<Output = Result<ToolOutput, OperationError>> + Send>>;

/// A tool of an `Agent`: an async function, and its description for the model.
///
/// A call needs a permit, so a tool never runs unguarded.
///
/// ```
/// use exo_rails::prelude::*;
/// use serde::Deserialize;
/// use serde_json::json;
///
/// #[derive(Deserialize)]
/// struct Search { query: String }
///
/// let schema = json!({
///     "type": "object",
///     "properties": { "query": { "type": "string" } },
///     "required": ["query"],
/// });
/// let search = Tool::new("search", "Finds orders.", schema, |args: Search| async move {
///     Ok::<_, OperationError>(format!("nothing found for {}", args.query))
/// });
/// assert_eq!(search.name(), "search");
/// ```
#[derive(Clone)]
pub struct Tool {
    spec: ToolSpec,
    is_idempotent: bool,
    run: Arc<dyn Fn(Permit<ToolCallInputs>) -> ToolFuture + Send + Sync>,
}

impl Tool {
    /// Makes a tool with this name. `parameters` is a JSON schema of the arguments.
    ///
    /// `run` takes any type that the arguments deserialize into, such as `serde_json::Value` for arguments of any kind.
    /// It returns text, JSON or a [`ToolOutput`]. It may fail with [any error](crate::IntoFailure), such as an error
    /// type of your application.
    ///
    /// Each call runs a clone of `run`. So an async closure can own the state of the tool, and its calls share this state
    /// if it is in an `Arc`. Other state, such as a `OnceLock` or a map, is copied for each call.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// use exo_rails::prelude::*;
    /// use serde::Deserialize;
    /// use serde_json::json;
    ///
    /// #[derive(Deserialize)]
    /// struct Note { text: String }
    ///
    /// let notes = Arc::new(Mutex::new(Vec::new()));
    /// let note = Tool::new("note", "Takes a note.", json!({ "type": "object" }), async move |note: Note| {
    ///     let mut notes = notes.lock().map_err(|_| "the notes are lost")?;
    ///     notes.push(note.text);
    ///     Ok::<_, OperationError>(format!("{} notes", notes.len()))
    /// });
    /// # let _ = note;
    /// ```
    ///
    /// If the arguments do not fit, the library does not call `run`. The call fails with an [`OperationError`] of the
    /// kind [`InvalidRequest`](OperationErrorKind::InvalidRequest), whose source is an [`ArgsError`](crate::ArgsError).
    /// This includes a list of arguments, because a list has no names that a rail could look for.
    ///
    /// If rails take the arguments of the tool by their type, make it with [`ToolArgs::tool`](crate::ToolArgs::tool)
    /// instead.
    pub fn new<A, F>(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: impl IntoSchema,
        run: F,
    ) -> Self
    where
        A: DeserializeOwned,
        F: ToolFunction<A>, // one argument: a struct. Each call runs a clone: put state into an `Arc`
    {
        Self::typed(ToolSpec::new(name, description, parameters), |arguments, call| {
            let future = run(arguments);
            async move {
                // The permit must live until the tool has finished.
                let _call = call;
                future.await
            }
        })
    }

    /// Makes a tool with a function that takes typed arguments and the permit.
    pub(crate) fn typed<A, F, Fut>(spec: ToolSpec, run: F) -> Self
    where
        A: DeserializeOwned,
        F: FnOnce(A, Permit<ToolCallInputs>) -> Fut + Clone + Send + Sync + 'static,
        Fut: GuardedFuture<ToolOutput> + Send + 'static,
    {
        Self::boxed(spec, move |call| match read_for_tool(&call) {
            Ok(arguments) => {
                let permit = call.share();
                begins(permit, run.clone()(arguments, call))
            }
            Err(error) => Box::pin(std::future::ready(Err(error))),
        })
    }

    /// Makes a tool with a function that takes the permit. The permit has the id of the call, and its
    /// [`context`](Permit::context) has the run's state and cancellation.
    ///
    /// The function may pass the permit to another tool with the same name, and so wrap it. A tool with another name
    /// refuses the permit.
    ///
    /// The function deserializes the arguments itself. [`Tool::new`] rejects a list of arguments. Here the function
    /// must do so: a list deserializes into a struct too, but it has no names that a rail could look for.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use serde_json::json;
    ///
    /// #[derive(Default)]
    /// struct Notes(Vec<String>);
    ///
    /// let note = Tool::with_permit("note", "Takes a note.", json!({ "type": "object" }), |call| async move {
    ///     let text = call.str_argument("text").ok_or("`text` is missing")?.to_owned();
    ///     let count = call.scope().run.update(|notes: &mut Notes| { notes.0.push(text); notes.0.len() });
    ///     Ok::<_, OperationError>(format!("{count} notes"))
    /// });
    /// # let _ = note;
    /// ```
    pub fn with_permit<F>(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: impl IntoSchema,
        run: F,
    ) -> Self
    where
        F: ToolFunction<Permit<ToolCallInputs>>,
        F: FnOnce(Permit<ToolCallInputs>) -> <F as ToolFunction<Permit<ToolCallInputs>>>::Future,
    {
        Self::boxed(ToolSpec::new(name, description, parameters), move |call| {
            let permit = call.share();
            begins(permit, run.clone()(call))
        })
    }

    fn boxed(spec: ToolSpec, run: impl Fn(Permit<ToolCallInputs>) -> ToolFuture + Send + Sync + 'static) -> Self {
        Self { spec, is_idempotent: false, run: Arc::new(run) }
    }

    /// Declares that two equal calls of the tool have the same effect as one call. Examples are a search, and a payment
    /// with a key that the service knows.
    ///
    /// When a run is resumed, the agent repeats a call of this tool if the call had started and its end was not
    /// recorded.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use serde_json::{Value, json};
    ///
    /// let search = Tool::new("search", "Finds orders.", json!({}), |_: Value| async { Ok::<_, OperationError>("none") });
    /// assert!(search.idempotent().is_idempotent());
    /// ```
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    /// Returns whether a call may be repeated: see [`idempotent`](Self::idempotent).
    #[must_use]
    pub const fn is_idempotent(&self) -> bool {
        self.is_idempotent
    }

    /// Returns the name by which the model calls the tool.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.spec.function.name
    }

    /// Returns the description of the tool for the model.
    #[must_use]
    pub const fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Runs the tool.
    ///
    /// # Errors
    /// Returns an error if
    ///
    /// - the permit is for another tool, or its guard has ended,
    /// - the arguments do not fit, or
    /// - the tool fails.
    pub fn call(
        &self,
        call: Permit<ToolCallInputs>,
    ) -> impl Future<Output = Result<ToolOutput, OperationError>> + Send + use<> {
        self.start(call)
    }

    fn start(&self, call: Permit<ToolCallInputs>) -> ToolFuture {
        match self.accepts(&call) {
            Ok(()) => (self.run)(call),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn accepts(&self, call: &Permit<ToolCallInputs>) -> Result<(), OperationError> {
        call.ensure_open()?;
        if call.tool_name != self.name() {
            let message = format!("the permit is for `{}`, not for `{}`", call.tool_name, self.name());
            return Err(OperationError::new(OperationErrorKind::Denied, message));
        }
        Ok(ensure_json(call)?)
    }

    /// Finds the tool that the call names in a list, and runs it.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::NoRails;
    /// use serde_json::{Value, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let search = Tool::new("search", "Finds orders.", json!({}), |_: Value| async { Ok::<_, OperationError>("none") });
    /// let tools = [search];
    /// let run = |call| Tool::call_named(&tools, call);
    /// let output = NoRails.guard_tool_call(ToolCallInputs::new("serch"), &mut RunContext::new("demo"), run).await?;
    /// assert!(output.content.contains("there is no tool `serch`; the tools are `search`"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the list has no tool with this name, if the arguments do not fit the tool, or if the tool
    /// fails.
    pub fn call_named(
        tools: &[Self],
        call: Permit<ToolCallInputs>,
    ) -> impl Future<Output = Result<ToolOutput, OperationError>> + Send + use<> {
        call_one_of(tools.iter(), call)
    }
}

/// Returns the future of a tool. It checks the permit when it is first polled, because the guard may have ended before.
fn begins(permit: Permit<ToolCallInputs>, tool: impl GuardedFuture<ToolOutput> + Send + 'static) -> ToolFuture {
    Box::pin(async move {
        permit.ensure_open()?;
        // The tool has its own handle to the permit.
        drop(permit);
        converted(tool.await)
    })
}

/// Runs the tool that the call names.
pub(super) fn call_one_of<'t>(
    mut tools: impl Iterator<Item = &'t Tool> + Clone,
    call: Permit<ToolCallInputs>,
) -> ToolFuture {
    let known = tools.clone();
    match tools.find(|tool| tool.name() == call.tool_name) {
        Some(tool) => tool.start(call),
        None => Box::pin(std::future::ready(Err(unknown(&call.tool_name, known)))),
    }
}

/// The error for a tool name that is not in the list.
fn unknown<'t>(name: &str, tools: impl Iterator<Item = &'t Tool>) -> OperationError {
    let names: Vec<_> = tools.map(|tool| format!("`{}`", tool.name())).collect();
    let known =
        if names.is_empty() { "there are none at all".into() } else { format!("the tools are {}", names.join(", ")) };
    OperationError::new(OperationErrorKind::NotFound, format!("there is no tool `{name}`; {known}"))
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("spec", &self.spec).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::*;
    use crate::context::RunContext;
    use crate::error::RunError;
    use crate::guard_set::NoRails;
    use crate::operation::Guard;

    #[derive(Deserialize)]
    struct ReadFile {
        path: String,
    }

    async fn call(arguments: Value) -> Result<ToolOutput, RunError> {
        let tool =
            Tool::new("read_file", "", Value::Null, |args: ReadFile| async { Ok::<_, OperationError>(args.path) });
        let call = ToolCallInputs::new("read_file").with_arguments(arguments);
        NoRails.guard_tool_call(call, &mut RunContext::new("test"), |call| tool.call(call)).await
    }

    #[tokio::test]
    async fn arguments_without_names_are_refused() {
        assert!(matches!(call(json!({ "path": "a.txt" })).await, Ok(output) if output.content == "a.txt"));
        let output = call(json!(["a.txt"])).await.unwrap_or_default();
        assert!(
            output.content.contains("the arguments of `read_file` are a list: an object is expected"),
            "{output:?}"
        );
        let output = call(json!("{ \"path\": ")).await.unwrap_or_default();
        assert!(output.content.contains("the arguments of `read_file` are not JSON: EOF"), "{output:?}");
    }
}
