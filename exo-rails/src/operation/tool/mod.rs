//! What an agent can do: its tools.

pub(crate) mod args;
mod mismatch;
pub(crate) mod tool_args;
pub(crate) mod tool_set;
mod write_back;

pub use args::*;
pub use tool_args::*;
pub use tool_set::*;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::OperationError;
use crate::message::OperationErrorKind;
use crate::message::{ToolCallInputs, ToolOutput, ToolSpec};
use crate::operation::failure::IntoFailure;
use crate::operation::permit::Permit;

type ToolFuture = Pin<Box<dyn Future<Output = Result<ToolOutput, OperationError>> + Send>>;

/// A tool of an `Agent`: what the model is told about it, and an async function.
///
/// The only way to call it is with a permit, so it does not run unguarded.
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
    /// A tool of this name. `parameters` is a JSON schema of its arguments; `run` receives them as any type
    /// that they deserialize into (`serde_json::Value` takes all), and returns text, JSON or a
    /// [`ToolOutput`]. It fails with [any error](crate::IntoFailure), such as one of the application.
    ///
    /// Arguments that do not fit are an [`OperationError`] of kind
    /// [`InvalidRequest`](OperationErrorKind::InvalidRequest), with the [`ArgsError`](crate::ArgsError) underneath;
    /// `run` is then not called. So is a list, which has no names that a rail could look at.
    ///
    /// A tool whose arguments rails look at by their type is made by [`ToolArgs::tool`](crate::ToolArgs::tool).
    pub fn new<A, F, Fut, O, E>(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
        run: F,
    ) -> Self
    where
        A: DeserializeOwned,
        F: Fn(A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, E>> + Send + 'static,
        O: Into<ToolOutput>,
        E: IntoFailure<OperationError>,
    {
        Self::typed(ToolSpec::new(name, description, parameters), move |arguments, call| {
            let future = run(arguments);
            async move {
                // The permit stays until the tool is done.
                let _call = call;
                future.await
            }
        })
    }

    /// A tool whose function receives its arguments as a type, and the permit.
    pub(crate) fn typed<A, F, Fut, O, E>(spec: ToolSpec, run: F) -> Self
    where
        A: DeserializeOwned,
        F: Fn(A, Permit<ToolCallInputs>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, E>> + Send + 'static,
        O: Into<ToolOutput>,
        E: IntoFailure<OperationError>,
    {
        Self::boxed(spec, move |call| match read_for_tool(&call) {
            Ok(arguments) => {
                let permit = call.share();
                begins(permit, run(arguments, call))
            }
            Err(error) => Box::pin(std::future::ready(Err(error))),
        })
    }

    /// The same, for a function that takes the permit itself: for the call's id, and for
    /// [`Permit::context`] with run state and cancellation.
    ///
    /// The function may pass the permit on to another tool of the same name: so a tool is wrapped. A tool of another name refuses
    /// it.
    ///
    /// It deserializes the arguments for itself. A struct also deserializes from a list, which has no names that
    /// a rail could look at: [`Tool::new`] refuses lists, here it is up to the function.
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
    pub fn with_permit<F, Fut, O, E>(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
        run: F,
    ) -> Self
    where
        F: Fn(Permit<ToolCallInputs>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, E>> + Send + 'static,
        O: Into<ToolOutput>,
        E: IntoFailure<OperationError>,
    {
        Self::boxed(ToolSpec::new(name, description, parameters), move |call| {
            let permit = call.share();
            begins(permit, run(call))
        })
    }

    fn boxed(spec: ToolSpec, run: impl Fn(Permit<ToolCallInputs>) -> ToolFuture + Send + Sync + 'static) -> Self {
        Self { spec, is_idempotent: false, run: Arc::new(run) }
    }

    /// Declares that two equal calls of the tool do no more than one: a search, or a payment with a key that the service knows.
    ///
    /// When a run is resumed, a call of this tool is repeated if it had begun before the program ended and its end was not
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

    /// Whether a call may be repeated: see [`idempotent`](Self::idempotent).
    #[must_use]
    pub const fn is_idempotent(&self) -> bool {
        self.is_idempotent
    }

    /// The name that the model calls it by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.spec.function.name
    }

    /// What the model is told about it.
    #[must_use]
    pub const fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Runs it.
    ///
    /// # Errors
    /// When the permit is for another tool, when the arguments do not fit, or when the tool fails.
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

    /// Runs the tool of this list that the call names.
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
    /// When there is no tool of this name, when the arguments do not fit it, and when it fails.
    pub fn call_named(
        tools: &[Self],
        call: Permit<ToolCallInputs>,
    ) -> impl Future<Output = Result<ToolOutput, OperationError>> + Send + use<> {
        call_one_of(tools.iter(), call)
    }
}

/// What a tool does, once it is waited for. Until then, the guard of its permit may have ended.
fn begins<Fut, O, E>(permit: Permit<ToolCallInputs>, tool: Fut) -> ToolFuture
where
    Fut: Future<Output = Result<O, E>> + Send + 'static,
    O: Into<ToolOutput>,
    E: IntoFailure<OperationError>,
{
    Box::pin(async move {
        permit.ensure_open()?;
        // The tool has it.
        drop(permit);
        tool.await.map(Into::into).map_err(IntoFailure::into_failure)
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

/// There is no tool of this name among these.
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
    use serde_json::json;

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
    async fn arguments_have_names() {
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
