//! The tools of an agent, declared once.

use crate::error::OperationError;
use crate::message::ToolSpec;
use crate::payload::{ToolCallInputs, ToolOutput};
use crate::permit::Permit;
use crate::tool::{Tool, unknown};
use crate::tool_args::{Named, ToolFor};

/// The tools of an agent: a struct made by [`tools!`](crate::tools), with a field for each.
///
/// It is complete by its type: a value of it has something to run for every tool that is declared.
///
/// ```
/// use exo_rails::prelude::*;
/// # use serde::{Deserialize, Serialize};
/// # use serde_json::json;
///
/// #[derive(Serialize, Deserialize, ToolArgs)]
/// #[tool(name = "search", schema = json!({ "type": "object" }))]
/// struct Search { query: String }
///
/// tools! { struct SupportTools { search: Search } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// assert_eq!(SupportTools::NAMES, ["search"]);
/// let tools = SupportTools {
///     search: Search::tool(|args| async move { Ok::<_, OperationError>(format!("nothing about {}", args.query)) }),
/// };
/// // In your own loop; an agent takes the set with `Agent::builder(…).tools(tools)`.
/// let call = ToolCallInputs::of(&Search { query: "rails".into() })?;
/// let output = NoRails.guard_tool_call(call, &mut RailContext::new("demo"), |call| tools.call(call)).await?;
/// assert_eq!(output.content, "nothing about rails");
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of tools",
    label = "not a set of tools",
    note = "a set of tools is declared by `tools! {{ struct MyTools {{ search: Search }} }}`"
)]
pub trait ToolSet: IntoIterator<Item = Tool> + Sized {
    /// The name of the set, for messages.
    const NAME: &'static str;

    /// The names of the tools, in the order of the fields.
    const NAMES: &'static [&'static str];

    /// The tools, in the order of the fields.
    fn tools(&self) -> impl Iterator<Item = &Tool>;

    /// What the model is told about the tools.
    fn specs(&self) -> Vec<ToolSpec> {
        self.tools().map(|tool| tool.spec().clone()).collect()
    }

    /// The tools, for whoever takes a list.
    fn into_tools(self) -> Vec<Tool> {
        self.into_iter().collect()
    }

    /// Runs the tool that the call names.
    ///
    /// # Errors
    /// When there is no tool of this name, when the arguments do not fit it, and when it fails.
    fn call(&self, call: Permit<ToolCallInputs>) -> impl Future<Output = Result<ToolOutput, OperationError>> + Send {
        let tool = self.tools().find(|tool| tool.name() == call.tool_name);
        let result = match tool {
            Some(tool) => Ok(tool.call(call)),
            None => Err(unknown(&call.tool_name, self.tools())),
        };
        async move { result?.await }
    }
}

/// What a set of tools is as a list.
pub type IntoTools = std::vec::IntoIter<Tool>;

/// These tools as a list.
#[must_use]
pub fn into_tools<const N: usize>(tools: [Tool; N]) -> IntoTools {
    Vec::from(tools).into_iter()
}

/// The name of the tool in a field of a set. The macro names the type of its arguments in the field alone, and has the
/// compiler infer it here: so a type that does not exist is told once.
#[must_use]
pub const fn name_of<S, A>(_: fn(&S) -> &ToolFor<A>, named: &Named<A>) -> &'static str {
    named.name()
}
