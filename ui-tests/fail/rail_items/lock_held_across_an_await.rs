//! The message should say: (the compiler's own words) the future is not `Send`: the guard of a `Mutex` is held across an `.await`.

use exo_rails::prelude::*;

use std::sync::Mutex;

static CALLS: Mutex<u32> = Mutex::new(0);

async fn pause() {}

#[rail(on = [PreToolCall])]
async fn guard(call: &ToolCallInputs) -> Verdict {
    let mut calls = CALLS.lock().unwrap();
    pause().await;
    *calls += 1;
    Verdict::abort_if(*calls > 3, call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
