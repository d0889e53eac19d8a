//! The message should say: `Arrived` may not read `is_paid` of `order`: add `reads order { is_paid };` to it.

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
            -> Shipped when order.total < 100.0 && order.is_paid;
            -> Refused;
        }
        end Shipped;
        end Refused;
    }
}

fn main() {}
