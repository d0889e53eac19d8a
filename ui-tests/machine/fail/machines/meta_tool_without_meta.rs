//! The message should say: `construct_tool` is a meta tool: write `meta;` instead

use exo_rails_machine::machine;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct Order {
    pub total: f64,
    pub note: String,
}

machine! {
    pub machine Desk {
        context order: Order;

        task Improve {
            prompt: "Improve the tools.";
            uses construct_tool;
            -> Done;
        }
        end Done;
    }
}

fn main() {}
