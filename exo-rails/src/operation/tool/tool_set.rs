//! Sets of tools, which an agent declares once.

use crate::error::OperationError;
use crate::message::{ToolCallInputs, ToolOutput, ToolSpec};
use crate::operation::permit::Permit;
use crate::operation::tool::tool_args::{Named, ToolFor};
use crate::operation::tool::{Tool, call_one_of};
use crate::point::text::{Text, same};
use crate::rail::NamesOf;

/// The tools of an agent: a struct with one field for each tool. [`tools!`](crate::tools) declares it.
///
/// A value of the struct has a function for every declared tool, because a value with a missing field does not compile.
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
/// // In your own loop. For an agent, pass the set to `Agent::builder(…).tools(tools)`.
/// let call = ToolCallInputs::of(&Search { query: "rails".into() })?;
/// let output = NoRails.guard_tool_call(call, &mut RunContext::new("demo"), |call| tools.call(call)).await?;
/// assert_eq!(output.content, "nothing about rails");
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of tools",
    label = "not a set of tools",
    note = "declare a set of tools with `tools! {{ struct MyTools {{ search: Search }} }}`"
)]
pub trait ToolSet: IntoIterator<Item = Tool> + Sized {
    /// The name of the set, for messages.
    const NAME: &'static str;

    /// The names of the tools, in the order of the fields.
    const NAMES: &'static [&'static str];

    /// Returns the tools, in the order of the fields.
    fn tools(&self) -> impl Iterator<Item = &Tool>;

    /// Returns the descriptions of the tools for the model.
    fn specs(&self) -> Vec<ToolSpec> {
        self.tools().map(|tool| tool.spec().clone()).collect()
    }

    /// Converts the set into a list of tools.
    fn into_tools(self) -> Vec<Tool> {
        self.into_iter().collect()
    }

    /// Runs the tool that the call names.
    ///
    /// # Errors
    /// Returns an error if the set has no tool with this name, if the arguments do not fit the tool, or if the tool
    /// fails.
    fn call(&self, call: Permit<ToolCallInputs>) -> impl Future<Output = Result<ToolOutput, OperationError>> + Send {
        let tools: Vec<_> = self.tools().collect();
        call_one_of(tools.iter().copied(), call)
    }
}

/// The iterator over the tools of a set.
pub type IntoTools = std::vec::IntoIter<Tool>;

/// Converts an array of tools into an iterator.
#[must_use]
pub fn into_tools<const N: usize>(tools: [Tool; N]) -> IntoTools {
    Vec::from(tools).into_iter()
}

/// Returns the name of the tool in a field of a set. The macro names the type of the arguments at the field only, and
/// the compiler infers it here. So rustc reports an unknown type only once.
#[must_use]
pub const fn name_of<S, A>(_: fn(&S) -> &ToolFor<A>, named: &Named<A>) -> &'static str {
    named.name()
}

/// Returns the names of a set and of its tools.
#[must_use]
pub const fn of_set<S: ToolSet>() -> NamesOf {
    NamesOf { set: S::NAME, tools: S::NAMES }
}

/// Asserts that the last of these tools has a name that no tool before it has. `types` are the types of the set's first
/// tools.
///
/// # Panics
/// Panics at compile time if two names are equal.
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
            let text = Text::new().name(set).and(" has two tools with the name ").name(names[last]).and(": ");
            let text = text.name(types[i]).and(" and ").name(types[last]);
            return Some(text.and("; rename one of them in its `#[tool(name = \"…\")]`"));
        }
        i += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tools_of_one_name_are_reported_with_their_types() {
        let text = |types| two_of_one_name("Tools", &["search", "delete_file", "search"], types);
        assert!(text(&["Search"]).is_none() && text(&["Search", "DeleteFile"]).is_none());
        let told = text(&["Search", "DeleteFile", "web::Search"]);
        let expected = "`Tools` has two tools with the name `search`: `Search` and `web::Search`; \
                        rename one of them in its `#[tool(name = \"…\")]`";
        assert_eq!(told.as_ref().map(Text::as_str), Some(expected));
    }
}
