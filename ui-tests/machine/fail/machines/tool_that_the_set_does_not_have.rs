//! The message should say: `DeskTools` has no field `serch`.

use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_machine::machine;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "search", schema = json!({ "type": "object" }))]
pub struct Search {
    pub text: String,
}

tools! {
    pub struct DeskTools {
        pub search: Search,
    }
}

machine! {
    pub machine Desk {
        tools: DeskTools;

        init Arrived {
            uses serch;
            -> Shipped;
        }
        end Shipped;
    }
}

fn main() {}
