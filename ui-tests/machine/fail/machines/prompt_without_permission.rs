//! The message should say: `Ask` may not read `total` of `order`: add the field to `reads` of the node

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
            -> Ask;
        }
        task Ask {
            prompt: "Is {{order.total}} too much?";
            -> Shipped;
        }
        end Shipped;
    }
}

fn main() {}
