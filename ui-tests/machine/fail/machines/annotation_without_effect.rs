//! The message should say: `@retry` has no effect on an edge: write it on a node

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
            -> Packed @retry(3);
        }
        end Packed;
    }
}

fn main() {}
