//! The message should say: the template `{{order.note` has no end

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

        task Arrived {
            prompt: "Check {{order.note} now.";
            reads order { note };
            -> Packed;
        }
        end Packed;
    }
}

fn main() {}
