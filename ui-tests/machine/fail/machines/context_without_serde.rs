//! The message should say: `Order` does not implement `Serialize` and `Deserialize`.

use exo_rails_machine::machine;

pub struct Order {
    pub total: f64,
}

machine! {
    pub machine Desk {
        context order: Order;

        init Arrived {
            reads order { total };
            -> Shipped;
        }
        end Shipped;
    }
}

fn main() {}
