//! The message should say: the task `Pack` has no way out: write an edge such as `-> Done;`, with `end Done;`

use exo_rails_machine::machine;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct Order {
    pub total: f64,
    pub is_paid: bool,
}

machine! {
    pub machine Desk {
        context order: Order;

        init Arrived {
            -> Pack;
        }
        task Pack {
            prompt: "Pack the order.";
        }
    }
}

fn main() {}
