//! The message should say: `f64` is not a list

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

        init Arrived {
            reads order;
            -> Packed @map(order.total);
        }
        end Packed;
    }
}

fn main() {}
