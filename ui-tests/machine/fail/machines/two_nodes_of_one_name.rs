//! The message should say: the node `Shipped` is declared twice: rename one of the two

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
        end Shipped;
    }
}

fn main() {}
