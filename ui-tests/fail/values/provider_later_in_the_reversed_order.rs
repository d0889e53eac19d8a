//! The message should say: `count` needs `Customer` at `PostToolCall`, but `identify`, which provides it, runs later there: their priorities are 20 and 10, and this is an onion.

use exo_rails::prelude::*;

#[derive(Provided)]
struct Customer(String);

#[rail(priority = 10, on = [PreToolCall, PostToolCall], provides = [Customer])]
fn identify(ctx: &RailContext) -> Customer {
    Customer(ctx.run_id().to_string())
}

#[rail(priority = 20, on = [PreToolCall, PostToolCall], needs = [Customer])]
fn count(customer: &Customer) {
    println!("{}", customer.0);
}

rail_chain! {
    #[chain(onion)]
    struct SupportRails { identify, count }
}

fn main() {
    let _ = SupportRails {};
}
