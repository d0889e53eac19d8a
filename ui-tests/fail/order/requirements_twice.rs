//! The message should say: `Company` is given twice.

use exo_rails::chain_requirements;
use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn permission() -> Verdict {
    Verdict::Continue
}

chain_requirements! {
    struct Company { require(permission on PreToolCall) }
}

rail_chain! {
    #[chain(requirements = Company, requirements = Company)]
    struct MyRails { permission }
}

fn main() {
    let _ = MyRails {};
}
