//! The message should say: write the schema as JSON.

use exo_rails::prelude::*;
use serde_json::Value;

fn main() {
    let _ = Tool::new("search", "Searches.", r#"{ "type": "object" }"#, async |query: Value| {
        Ok::<_, OperationError>(query.to_string())
    });
}
