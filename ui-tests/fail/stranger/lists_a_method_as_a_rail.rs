//! The message should say: `Discounts::cap` is a method of a rail, not a rail. List the type in a field:
//! `discounts: Discounts`.

use exo_rails::prelude::*;
use serde_json::json;

struct Discounts {
    percent: u64,
}

#[rail(priority = 30)]
impl Discounts {
    #[on(PreToolCall)]
    fn cap(&self, call: &mut ToolCallInputs) -> Verdict {
        let asked = call.arguments["discount"].as_u64().unwrap_or(0);
        Verdict::abort_if(!call.set_argument("discount", json!(asked.min(self.percent))), "the arguments have no names")
    }
}

#[rail(priority = 90, on = [PreToolCall])]
fn till_roll(call: &ToolCallInputs) {
    println!("{} {}", call.tool_name, call.arguments);
}

rail_chain! {
    struct ShopRails {
        till_roll,
        Discounts::cap, // <- here
    }
}

fn main() {
    let shop = Discounts { percent: 20 };
    println!("{}", shop.percent);
}
