//! The message should say: `@lazy` and `@eager` contradict each other: remove one of them

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

        init Arrived @lazy @eager {
            -> Shipped;
        }
        end Shipped;
    }
}

fn main() {}
