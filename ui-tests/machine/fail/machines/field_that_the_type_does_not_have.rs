//! The message should say: `Order` has no field `totl`.

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
            reads order { totl };
            -> Shipped;
        }
        end Shipped;
    }
}

fn main() {}
