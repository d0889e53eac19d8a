//! The message should say: there is no rail `daily`. Shared requirements name the type of a rail, because every chain names
//! its own fields: write `first(TransferLimit on PreToolCall)`.

use exo_rails::chain_requirements;
use exo_rails::prelude::*;

/// The most that one call may move.
struct TransferLimit {
    cents: u64,
}

#[rail(priority = 10)]
impl TransferLimit {
    #[on(PreToolCall)]
    fn amount(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.arguments["cents"].as_u64().is_none_or(|cents| cents > self.cents), "too much money")
    }
}

chain_requirements! {
    struct Bank { first(daily on PreToolCall) } // <- here
}

rail_chain! {
    #[chain(requirements = Bank)]
    struct BranchRails { daily: TransferLimit }
}

fn main() {
    let _ = BranchRails { daily: TransferLimit { cents: 50_000 } };
}
