//! The message should say: a rail is an `async fn`, a `fn`, or an `impl` block of a type.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
enum Budget {
    Small,
}

fn main() {
    let _ = Budget::Small;
}
