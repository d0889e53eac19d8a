//! What a rail has changed when it faults, where the run goes on: it is kept, in the call as in the arguments as a type.

use std::future::pending;
use std::panic;

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tests::rails;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "move", schema = json!({ "type": "object" }))]
struct Move {
    #[serde(alias = "path")]
    from: String,
}

/// Ends as a test says.
async fn end(how: &str) -> Result<(), String> {
    match how {
        "waits" => pending().await,
        "panics" => panic::panic_any("at last"),
        "fails" => Err("at last".to_owned()),
        _ => Ok(()),
    }
}

macro_rules! faulty {
    ($call:ident, $args:ident, $on_fault:literal) => {
        #[rail(on = [PreToolCall], timeout = "1s", on_panic = "fault", on_fault = $on_fault)]
        async fn $call(call: &mut ToolCallInputs) -> Result<(), String> {
            let how = call.arguments["path"].as_str().unwrap_or_default().to_owned();
            call.arguments["path"] = json!(format!("{how}!"));
            end(&how).await
        }

        #[rail(on = [PreToolCall], timeout = "1s", on_panic = "fault", on_fault = $on_fault)]
        async fn $args(args: &mut Args<Move>) -> Result<(), String> {
            let how = args.from.clone();
            args.from.push('!');
            end(&how).await
        }
    };
}

faulty!(call_goes_on, args_go_on, "continue");
faulty!(call_skips, args_skip, "skip");
faulty!(call_aborts, args_abort, "abort");

/// Without anything to wait for.
#[rail(on = [PreToolCall], on_panic = "fault", on_fault = "continue")]
fn at_once(args: &mut Args<Move>) -> Result<(), String> {
    let how = args.from.clone();
    args.from.push('!');
    match how.as_str() {
        "panics" => panic::panic_any("at last"),
        "fails" => Err("at last".to_owned()),
        _ => Ok(()),
    }
}

/// The arguments of a call after a rail that ends like this.
async fn after(rails: &impl GuardSet, how: &str) -> serde_json::Value {
    let mut call = ToolCallInputs::new("move").with_arguments(json!({ "path": how, "trace": 7 }));
    let _ = rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("faults")).await;
    call.arguments
}

#[tokio::test(start_paused = true)]
async fn rails_on_calls_and_on_arguments_keep_changes_before_a_fault() {
    for how in ["continues", "fails", "waits", "panics"] {
        let expected = json!({ "path": format!("{how}!"), "trace": 7 });
        assert_eq!(after(&rails![call_goes_on], how).await, expected);
        assert_eq!(after(&rails![args_go_on], how).await, expected);
        assert_eq!(after(&rails![call_skips], how).await, expected);
        assert_eq!(after(&rails![args_skip], how).await, expected);
        assert_eq!(after(&rails![call_aborts], how).await, expected);
        assert_eq!(after(&rails![args_abort], how).await, expected);
        if how != "waits" {
            assert_eq!(after(&rails![at_once], how).await, expected);
        }
    }
    assert_eq!(after(&rail_chain![args_go_on], "waits").await, json!({ "path": "waits!", "trace": 7 }));
}

/// Written and read under two names: a change of it cannot be written.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "two_names", schema = json!({ "type": "object" }))]
struct TwoNames {
    #[serde(rename(serialize = "to"))]
    path: String,
}

#[tokio::test(start_paused = true)]
async fn the_first_fault_is_the_one_that_is_reported() {
    #[rail(on = [PreToolCall], timeout = "1s")]
    async fn change(args: &mut Args<TwoNames>) {
        args.path.push('!');
        pending::<()>().await;
    }
    let mut call = ToolCallInputs::new("two_names").with_arguments(json!({ "path": "a" }));
    let fault = rails![change].dispatch::<PreToolCall>(&mut call, &mut RunContext::new("faults")).await.unwrap_err();
    assert!(fault.to_string().contains("1s"), "{fault}");
    assert_eq!(call.arguments, json!({ "path": "a" }));
}
