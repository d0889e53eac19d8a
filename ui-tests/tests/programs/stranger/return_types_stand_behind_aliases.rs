//! What it shows: rails that return aliases, `Option<Verdict>` with `?`, `Result<Option<RailAction<S>>, E>`, and an action made
//! from a verdict.

use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails::{MemoryEntry, NoRetry, NoSubstitute, testing};
use serde_json::{Value, json};

type Ruling = RailAction<NoSubstitute, NoRetry>;
type Perhaps<T, E = serde_json::Error> = Result<Option<T>, E>;

#[rail(priority = 10, on = [PreToolCall])]
fn stays_home(call: &ToolCallInputs) -> Option<Verdict> {
    let path = call.str_argument("path")?;
    let first = path.split('/').next()?;
    Some(Verdict::abort_if(first == "..", "the path leaves the house"))
}

#[rail(priority = 20, on = [PreToolCall])]
async fn canned(call: &ToolCallInputs) -> Perhaps<RailAction<ToolOutput>> {
    let Some(text) = call.str_argument("config") else { return Ok(None) };
    let config: Value = serde_json::from_str(text)?;
    Ok(config["answer"].as_str().map(|answer| RailAction::skip_with(answer.into(), "the answer is in the call")))
}

#[rail(priority = 30, on = [PreToolCall])]
fn short(call: &ToolCallInputs) -> RailAction {
    Verdict::abort_if(call.arguments.to_string().len() > 200, "too many words").into()
}

#[rail(on = [MemoryStored])]
fn no_small_talk(entry: &MemoryEntry) -> Ruling {
    if entry.messages.len() < 2 { Ruling::skip("nothing to remember") } else { Ruling::Continue }
}

rail_chain! {
    struct HouseRails { short, canned, stays_home, no_small_talk }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    let call = |arguments| ToolCallInputs::new("read").with_arguments(arguments);
    testing::at::<PreToolCall>(&HouseRails, call(json!({}))).await.assert_continued();
    testing::at::<PreToolCall>(&HouseRails, call(json!({ "path": "../x" }))).await.assert_by("stays_home");
    let canned = call(json!({ "config": r#"{ "answer": "yes" }"# }));
    testing::at::<PreToolCall>(&HouseRails, canned).await.assert_skipped_with(&"yes".into());
    testing::at::<PreToolCall>(&HouseRails, call(json!({ "config": "{" }))).await.assert_faulted("EOF");
    testing::at::<PreToolCall>(&HouseRails, call(json!({ "path": "x".repeat(300) }))).await.assert_aborted("words");
    let entry = MemoryEntry::new([Message::user("Hi")]);
    testing::at::<MemoryStored>(&HouseRails, entry).await.assert_skipped("nothing to remember");
}
