//! The message should say, at the text: write the condition without quotes.

use exo_rails_machine::machine;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Order {
    total: f64,
}

machine! {
    machine Desk {
        context order: Order;
        init Arrived { reads order { total }; -> Paid when "order.total < 100.0"; -> Refused; }
        end Paid;
        end Refused;
    }
}

fn main() {
    let _ = Desk::machine(Order { total: 1.0 });
}
