//! The message should say: `Arrived` may not read `note` of `order`: add `reads order { note };` to it

use exo_rails_machine::machine;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct Order {
    pub total: f64,
    pub note: String,
}

machine! {
    pub machine Desk {
        context order: Order;

        init Arrived {
            reads order { total };
            -> Packed @map("order.note");
        }
        end Packed;
    }
}

fn main() {}
