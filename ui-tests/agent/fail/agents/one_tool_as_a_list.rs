//! The message should say: for one tool, write `.tool(search)`.

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};
use serde_json::{Value, json};

fn build(model: impl Model) {
    let search = Tool::new("search", "Searches.", json!({ "type": "object" }), async |query: Value| {
        Ok::<_, OperationError>(query.to_string())
    });
    let _ = Agent::builder("desk", model).tools(search).build();
}

fn main() {}
