//! The message should say: of two fields of one type, `searches` must run before `all_tools`, and `all_tools` is not first.
//! And once: a field that may be empty is not required.

use exo_rails::prelude::*;

struct Limit(u32);

#[rail(priority = 10)]
impl Limit {
    #[on(PreToolCall)]
    fn check(&self, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(ctx.step() > self.0, "too many steps")
    }
}

rail_chain! {
    #[chain(before(searches, all_tools))]
    struct InTheWrongOrder { all_tools: Limit, searches: Limit }
}

rail_chain! {
    #[chain(first(all_tools on PreToolCall))]
    struct NotFirst { searches: Limit, all_tools: Limit }
}

rail_chain! {
    #[chain(require(searches on PreToolCall))]
    struct MayBeEmpty { searches: Vec<Limit>, all_tools: Limit }
}

rail_chain! {
    #[chain(require(searches on PostToolCall))]
    struct NotOnTheEvent { searches: Limit, all_tools: Limit }
}

fn main() {
    let _ = InTheWrongOrder { all_tools: Limit(1), searches: Limit(2) };
    let _ = NotFirst { searches: Limit(1), all_tools: Limit(2) };
    let _ = MayBeEmpty { searches: vec![], all_tools: Limit(2) };
    let _ = NotOnTheEvent { searches: Limit(1), all_tools: Limit(2) };
}
