//! The message should say: there is no context `ordr`: did you mean `order`?

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
            reads ordr;
            -> Shipped;
        }
        end Shipped;
    }
}

fn main() {}
