//! The message should say: state is a field of a rail that is a type.

use exo_rails::prelude::*;

struct State<T>(T);

struct Limits {
    calls: usize,
}

#[rail(on = [PreToolCall, Start])]
async fn guard(State(limits): State<Limits>) -> Verdict {
    Verdict::abort_if(limits.calls == 0, "no calls are left")
}

fn main() {
    let _ = rail_chain![guard];
}
