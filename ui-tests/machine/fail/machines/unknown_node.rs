//! The message should say: there is no node `Shiped` here: did you mean `Shipped`?

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
            -> Shiped;
        }
        end Shipped;
    }
}

fn main() {}
