//! The message should say, at the type: write `#[derive(Serialize, Deserialize)]`; once.

use exo_rails_machine::machine;

struct Order {
    total: f64,
}

machine! {
    machine Desk {
        context order: Order;
        init Arrived { reads order { total }; -> Paid when order.total < 3.0; -> Refused; }
        end Paid;
        end Refused;
    }
}

fn main() {
    let _ = Desk::machine(Order { total: 1.0 });
}
