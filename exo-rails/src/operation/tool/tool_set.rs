//! The tools of an agent, declared once.

use crate::error::OperationError;
use crate::message::{ToolCallInputs, ToolOutput, ToolSpec};
use crate::operation::permit::Permit;
use crate::operation::tool::tool_args::{Named, ToolFor};
use crate::operation::tool::{Tool, call_one_of};
use crate::point::text::{Text, same};
use crate::rail::NamesOf;

/// The tools of an agent: a struct made by [`tools!`](crate::tools), with a field for each.
///
/// It is complete by its type: a value of it has something to run for every tool that is declared.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{NoRails, tools};
/// use exo_rails_agent::Agent;
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
/// let output = NoRails.guard_tool_call(call, &mut RunContext::new("demo"), |call| tools.call(call)).await?;
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
        let tools: Vec<_> = self.tools().collect();
        call_one_of(tools.iter().copied(), call)
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

/// The names of a set and of its tools.
#[must_use]
pub const fn of_set<S: ToolSet>() -> NamesOf {
    NamesOf { set: S::NAME, tools: S::NAMES }
}

/// Asserts that no tool of a set has the name of one before it: given the types up to one of them.
///
/// # Panics
/// When the last has: at compile time.
#[track_caller]
pub const fn distinct<S: ToolSet>(types: &[&str]) {
    if let Some(text) = two_of_one_name(S::NAME, S::NAMES, types) {
        text.refuse();
    }
}

const fn two_of_one_name(set: &str, names: &[&str], types: &[&str]) -> Option<Text> {
    let last = types.len() - 1;
    let mut i = 0;
    while i < last {
        if same(names[i], names[last]) {
            let text = Text::new().name(set).and(" has two tools of the name ").name(names[last]).and(": ");
            let text = text.name(types[i]).and(" and ").name(types[last]);
            return Some(text.and("; give one of them another in its `#[tool(name = \"…\")]`"));
        }
        i += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tools_of_one_name_are_told_with_their_types() {
        let text = |types| two_of_one_name("Tools", &["search", "delete_file", "search"], types);
        assert!(text(&["Search"]).is_none() && text(&["Search", "DeleteFile"]).is_none());
        let told = text(&["Search", "DeleteFile", "web::Search"]);
        let expected = "`Tools` has two tools of the name `search`: `Search` and `web::Search`; \
                        give one of them another in its `#[tool(name = \"…\")]`";
        assert_eq!(told.as_ref().map(Text::as_str), Some(expected));
    }
}
