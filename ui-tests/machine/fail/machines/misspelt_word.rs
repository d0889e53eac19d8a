//! The message should say: there is no `promt` here: did you mean `prompt`?

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
            promt: "Check the order.";
            -> Packed;
        }
        end Packed;
    }
}

fn main() {}
