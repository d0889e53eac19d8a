//! The library under another path.

#![deny(warnings, dead_code)]

mod vendored {
    pub use exo_rails as guards;
}

mod exo_rails_is_shadowed {
    #[allow(unused)]
    mod exo_rails {}

    use crate::crate_path::vendored::guards::prelude::*;

    #[rail(on = [PreToolCall], crate = crate::crate_path::vendored::guards, priority = 3)]
    pub async fn guard(call: &ToolCallInputs, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(call.tool_name.len() < ctx.step() as usize, "too short")
    }

    rail_chain! {
        #[chain(crate = crate::crate_path::vendored::guards)]
        pub struct Chain { guard }
    }
}

#[test]
fn compiles_and_runs() {
    let _ = exo_rails_is_shadowed::Chain {};
}
