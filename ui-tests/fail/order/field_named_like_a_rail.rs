//! The message should say: `audit` is a field and a rail of this chain, and the requirement does not say which.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn audit() {}

struct Audit;

#[rail(priority = 10)]
impl Audit {
    #[on(PreToolCall)]
    fn record(&self) {}
}

rail_chain! {
    #[chain(last(audit on PreToolCall))]
    struct MyRails { audit, audit: Audit }
}

fn main() {
    let _ = MyRails { audit: Audit };
}
