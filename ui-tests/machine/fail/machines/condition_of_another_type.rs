//! The message should say: the condition is an `f64`, not a `bool`.

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
            reads order { total };
            -> Shipped when order.total;
            -> Refused;
        }
        end Shipped;
        end Refused;
    }
}

fn main() {}
