//! A set of typed tools is filled with a tool from `Tool::new`, which has no type for its arguments. An ideal message says to make
//! the tool with `FindBook::tool(…)`, which also knows the name and the schema.

use exo_rails::prelude::*;
use exo_rails::tools;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Finds a book in the catalogue.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "find_book", schema = json!({ "type": "object" }))]
struct FindBook {
    title: String,
}

tools! {
    struct LibraryTools { find_book: FindBook }
}

#[rail(priority = 20, on = [PreToolCall], tools = LibraryTools)]
fn has_a_title(args: &Args<FindBook>) -> RailAction {
    if args.title.trim().is_empty() { RailAction::skip("which book?") } else { RailAction::Continue }
}

fn library_tools() -> LibraryTools {
    let find_book = Tool::new("find_book", "Finds a book.", json!({ "type": "object" }), |args: FindBook| async move {
        Ok::<_, OperationError>(format!("`{}` is in shelf 4", args.title))
    });
    LibraryTools { find_book }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = library_tools();
    let call = ToolCallInputs::of(&FindBook { title: "Momo".to_owned() })?;
    let mut ctx = RunContext::new("library");
    let output = rail_chain![has_a_title].guard_tool_call(call, &mut ctx, |call| tools.call(call)).await?;
    assert_eq!(output.content, "`Momo` is in shelf 4");
    Ok(())
}
