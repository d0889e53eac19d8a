//! The message should say: the arguments of a tool are an object: write `struct Ping {}`.

use exo_rails::prelude::*;
use exo_rails::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, ToolArgs)]
#[tool(name = "ping")]
pub struct Ping;

fn main() {
    let _ = ToolCallInputs::of(&Ping);
}
