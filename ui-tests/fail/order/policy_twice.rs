//! The message should say: the policy `Company` is given twice.

use exo_rails::chain_policy;
use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission() -> Verdict {
    Verdict::Continue
}

chain_policy! {
    struct Company { require(permission on PreToolCall) }
}

rail_chain! {
    #[chain(policy = Company, policy = Company)]
    struct MyRails { permission }
}

fn main() {
    let _ = MyRails {};
}
