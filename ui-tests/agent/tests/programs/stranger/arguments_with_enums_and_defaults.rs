//! What it shows: tool arguments with a nested list, an enum in an `Option`, a default and a renamed field, which a rail changes.
use exo_rails::NoRails;
use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Cabin {
    Economy,
    Business,
}

#[derive(Serialize, Deserialize)]
struct Leg {
    from: String,
    to: String,
}

/// Books a trip.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "book_trip", schema = json!({ "type": "object", "required": ["legs"] }))]
struct BookTrip {
    legs: Vec<Leg>,
    #[serde(default = "alone")]
    travellers: u32,
    #[serde(rename = "class", default)]
    cabin: Option<Cabin>,
}

fn alone() -> u32 {
    1
}

#[rail(priority = 20, on = [PreToolCall])]
fn cheap_trips(args: &mut Args<BookTrip>) -> RailAction {
    if args.legs.len() > 2 {
        return RailAction::skip("fly with at most one change");
    }
    if args.cabin == Some(Cabin::Business) {
        args.cabin = Some(Cabin::Economy);
    }
    RailAction::Continue
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let leg = json!({ "from": "BGO", "to": "OSL" });
    let mut call = ToolCallInputs::new(BookTrip::NAME)
        .with_arguments(json!({ "legs": [leg], "class": "business", "note": "by the window" }));
    let mut ctx = RunContext::new("travel");
    assert!(rail_chain![cheap_trips].dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
    assert_eq!(call.arguments, json!({ "legs": [leg], "class": "economy", "note": "by the window" }));

    let book = BookTrip::tool(|args| async move {
        let route: Vec<_> = args.legs.iter().map(|leg| format!("{}-{}", leg.from, leg.to)).collect();
        Ok::<_, OperationError>(format!("{} for {} in {:?}", route.join(", "), args.travellers, args.cabin))
    });
    let output = NoRails.guard_tool_call(call, &mut ctx, |call| book.call(call)).await?;
    assert_eq!(output.content, "BGO-OSL for 1 in Some(Economy)");
    Ok(())
}
