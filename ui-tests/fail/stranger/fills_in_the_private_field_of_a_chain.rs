//! The message should say: the field `limit` of `TravelRails` is private. Write `pub limit: BookingLimit` in the chain, or give
//! the chain a constructor.

mod guards {
    use exo_rails::prelude::*;

    /// The most expensive trip that the agent may book.
    pub struct BookingLimit {
        pub euros: f64,
    }

    #[rail(priority = 15)]
    impl BookingLimit {
        #[on(PreToolCall, ToolError)]
        fn price(&self, call: &ToolCallInputs) -> RailAction {
            match call.arguments["euros"].as_f64() {
                Some(euros) if euros <= self.euros => RailAction::Continue,
                _ => RailAction::skip("ask your boss first"),
            }
        }
    }

    rail_chain! {
        pub struct TravelRails { limit: BookingLimit }
    }
}

use guards::{BookingLimit, TravelRails};

fn main() {
    let rails = TravelRails { limit: BookingLimit { euros: 800.0 } }; // <- here
    drop(rails);
}
