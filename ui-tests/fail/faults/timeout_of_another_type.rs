//! The message should say: mismatched types at `self.limit`: a `Duration` is expected. The compiler's own words.

use exo_rails::prelude::*;

struct Guard {
    limit: u64,
}

#[rail]
impl Guard {
    #[on(PreToolCall, timeout = self.limit)]
    async fn ask(&self) {}
}

rail_chain! { struct Guards { guard: Guard } }

fn main() {
    let _ = Guards { guard: Guard { limit: 2 } };
}
