//! The message should say, once: the payload of `PostToolCall` is a tuple of the call and the output.

use exo_rails::prelude::*;
use exo_rails::testing;

#[rail(on = [PostToolCall])]
fn redact(output: &mut ToolOutput) {
    output.content.clear();
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let read = testing::at::<PostToolCall>(&rail_chain![redact], ToolOutput::text("key")).await;
    assert!(read.outcome.is_ok());
}
