//! The message should say: the machine has no tools: write `tools: MyTools;`

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
            uses search;
            -> Shipped;
        }
        end Shipped;
    }
}

fn main() {}
