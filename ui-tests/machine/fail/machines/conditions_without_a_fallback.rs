//! The message should say: `Arrived` cannot go on if all conditions of its edges are false: write an edge without `when` after the others

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
            reads order;
            -> Shipped when order.is_paid;
            -> Refused when order.total > 100.0;
        }
        end Shipped;
        end Refused;
    }
}

fn main() {}
