//! A task has a tool of a set that `tools!` makes, and the agent calls it before it chooses an edge.

use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, Node, machine};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "find_book", schema = json!({ "type": "object", "properties": { "title": { "type": "string" } } }))]
struct FindBook { title: String }

tools! { struct LibraryTools { find_book: FindBook } }

#[derive(Serialize, Deserialize)]
struct Wish { title: String }

machine! {
    machine Lending {
        context wish: Wish;
        tools: LibraryTools;

        init Asked { -> Search; }
        task Search {
            prompt: "Find the book `{{wish.title}}`.";
            reads wish { title };
            uses find_book;
            -> Lent;
            -> Ordered "the library does not have the book";
        }
        end Lent; end Ordered;
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let find = FindBook::tool(|args| async move { Ok::<_, OperationError>(format!("{} is on shelf 4", args.title)) });
    let tools = LibraryTools { find_book: find };
    let machine = Lending::machine(Wish { title: "Emma".to_owned() }, &tools);
    let model: ScriptedModel = r#"[
        { "call": [{ "tool": "find_book", "arguments": { "title": "Emma" } }] },
        { "call": [{ "tool": "transition_to_Lent", "arguments": { "reason": "it is there" } }] }
    ]"#.parse()?;
    let done = Executor::builder(machine, model).tools(tools).build()?.run().await?;
    assert_eq!(done.ended_at, [lending::Lent::PATH]);
    let mut work = done.history.steps.iter().filter_map(|step| step.agent_invocation.as_ref());
    assert!(work.any(|work| work.tools_used.iter().any(|tool| tool == "find_book")));
    Ok(())
}
