//! The message should say: `PostLlmCall` carries `&ModelCallInputs`: after the call it can no longer be changed.

use exo_rails::prelude::*;

#[rail(on = [PostLlmCall])]
async fn guard(call: &mut ModelCallInputs) {
    call.model = None;
}

fn main() {
    let _ = rail_chain![guard];
}
