//! The message should say: the machine never reaches `Refused`: write an edge to it.

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
            -> Shipped;
        }
        end Shipped;
        end Refused;
    }
}

fn main() {}
