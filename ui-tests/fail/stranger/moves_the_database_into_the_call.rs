//! The message should say: a retry calls the closure again, and the future of this `async move` closure borrows `database` from
//! the closure. Leave out `move`, or clone what the call needs: `|call| { let database = database.clone(); async move { … } }`.

use std::sync::Arc;

use exo_rails::prelude::*;

struct Database {
    rows: Vec<String>,
}

impl Database {
    async fn find(&self, word: &str) -> usize {
        self.rows.iter().filter(|row| row.contains(word)).count()
    }
}

#[rail(priority = 20, on = [PreToolCall])]
fn short_words(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.str_argument("word").is_none_or(|word| word.len() > 20), "no word is that long")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let database = Arc::new(Database { rows: vec!["apple tart".to_owned(), "plum tart".to_owned()] });
    let find = async move |call: Permit<ToolCallInputs>| { // <- here
        let word = call.str_argument("word").ok_or("which word?")?;
        Ok::<_, OperationError>(database.find(word).await.to_string())
    };
    let call = ToolCallInputs::new("find").with_arguments(serde_json::json!({ "word": "tart" }));
    let output = rail_chain![short_words].guard_tool_call(call, &mut RunContext::new("bakery"), find).await?;
    assert_eq!(output.content, "2");
    Ok(())
}
