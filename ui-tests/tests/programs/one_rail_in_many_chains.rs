//! A rail listed in several chains, chains inside chains, empty chains; a rail that is only called directly.

#![deny(warnings, dead_code)]

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

#[rail(on = [PreToolCall])]
async fn only_called(call: &ToolCallInputs) -> Verdict {
    guard(call).await
}

rail_chain! { struct One { guard } }
rail_chain! { struct Two { One, guard } }
rail_chain! { struct Three { pub two: Two, One } }
rail_chain! { struct Empty {} }

#[tokio::test]
async fn compiles_and_runs() -> Result<(), RailFault> {
    let mut call = ToolCallInputs::new("shell");
    let mut ctx = RunContext::new("demo");
    assert_ne!(only_called(&call).await, Verdict::Continue);
    assert!(Empty {}.dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
    assert!(rail_chain![].dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
    assert!(!Three { two: Two {} }.dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
    assert!(!rail_chain![Two, guard].dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
    Ok(())
}
