//! The message should say: state is a field of a rail that is a type; once for each of the two types, and not for each event.

use std::sync::Arc;

use exo_rails::prelude::*;

struct Limits {
    calls: usize,
}

struct State<T>(T);

#[rail(on = [PreToolCall, PostToolCall, Start, Finished])]
async fn guard(limits: &Arc<Limits>, state: &State<Limits>) -> Verdict {
    Verdict::abort_if(limits.calls + state.0.calls == 0, "no calls are left")
}

fn main() {
    let _ = rail_chain![guard];
}
