//! The message should say: a rail's change of this field would be lost; leave `skip_serializing` out

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "login", schema = serde_json::json!({ "type": "object" }))]
struct Login {
    user: String,
    #[serde(skip_serializing, default)]
    password: String,
}

fn main() {}
