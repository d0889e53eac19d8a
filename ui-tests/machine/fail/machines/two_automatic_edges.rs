//! The message should say: `Arrived` has two `@auto` edges without a condition: give the first one a condition

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
            -> Shipped @auto;
            -> Refused @auto;
        }
        end Shipped;
        end Refused;
    }
}

fn main() {}
