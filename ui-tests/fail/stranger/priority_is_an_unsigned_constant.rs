//! The priorities are constants of the type `u32`, and a priority is an `i32`. An ideal message points at the priority or at the
//! constant, and says to declare the constant as `i32`.

use exo_rails::prelude::*;
use exo_rails::testing;

/// The priorities of all rails of the zoo.
mod order {
    pub const SAFETY: u32 = 10;
    pub const LOG: u32 = SAFETY + 80;
}

#[rail(priority = order::SAFETY, on = [PreToolCall])]
fn cages_stay_closed(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "open_cage", "only a keeper opens a cage")
}

#[rail(priority = order::LOG, on = [PreToolCall])]
fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct ZooRails { log, cages_stay_closed }
}

fn main() {
    testing::assert_order(&ZooRails, HookPoint::PreToolCall, ["cages_stay_closed", "log"]);
}
