//! The message should say: a rail with `around` returns the result of the operation.

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;

#[rail(on = [PreToolCall], around)]
async fn limit(next: impl Next<ToolCall>) {
    println!("{:?}", next.run().await.is_ok());
}

fn main() {
    let _ = rail_chain![limit];
}
