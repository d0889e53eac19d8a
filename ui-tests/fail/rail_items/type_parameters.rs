//! The message should say: a rail function has no type parameters; make the rail a type.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn guard<T: Default + Send>(call: &ToolCallInputs) -> Verdict {
    let _ = T::default();
    Verdict::abort(call.tool_name.clone())
}

fn main() {
    let _ = rail_chain![guard];
}
