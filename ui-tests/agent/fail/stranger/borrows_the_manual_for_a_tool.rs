//! The message should say: a tool lives longer than the function that makes it, so it cannot borrow `pages`: take an
//! `Arc<[String]>` or a `Vec<String>` that the tool owns.
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Search {
    word: String,
}

fn search_tool(pages: &[String]) -> Tool {
    Tool::new("search", "Searches the manual.", json!({ "type": "object" }), move |args: Search| async move { // <- here
        let hits = pages.iter().filter(|page| page.contains(&args.word)).count();
        Ok::<_, OperationError>(format!("{hits} pages"))
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "Look at page 7." }]"#.parse()?;
    let pages = vec!["Turn the screw.".to_owned(), "Mind the gap.".to_owned()];
    let agent = Agent::builder("mechanic", model).tool(search_tool(&pages)).build();
    println!("{}", agent.run("How do I open the lid?").await?.text);
    Ok(())
}
