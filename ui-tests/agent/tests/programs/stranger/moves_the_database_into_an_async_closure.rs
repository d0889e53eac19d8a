//! Written as a mistake: the library now accepts it.
use std::collections::BTreeMap;
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Lookup {
    isbn: String,
}

struct Books(BTreeMap<String, String>);

impl Books {
    async fn find(&self, args: Lookup) -> Result<String, OperationError> {
        self.0.get(&args.isbn).cloned().ok_or_else(|| OperationError::from("there is no such book"))
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "It is on shelf 3." }]"#.parse()?;
    let db = Arc::new(Books(BTreeMap::from([("978-0-441-17271-9".to_owned(), "shelf 3".to_owned())])));
    let find = Tool::new(
        "find_book",
        "Finds a book.",
        json!({ "type": "object" }),
        async move |args: Lookup| db.find(args).await,
    );
    let agent = Agent::builder("library", model).tool(find).build();
    println!("{}", agent.run("Where is Dune?").await?.text);
    Ok(())
}
