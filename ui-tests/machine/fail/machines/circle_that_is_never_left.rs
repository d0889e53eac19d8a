//! The message should say: the machine never leaves this circle: Arrived -> Checked -> Arrived: give one of the edges a condition

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
            -> Checked;
        }
        state Checked {
            -> Arrived;
        }
    }
}

fn main() {}
