//! The message should say: there is no field `limit`, once. The compiler's own words.

use exo_rails::prelude::*;

struct Guard;

#[rail]
impl Guard {
    #[on(PreToolCall, timeout = self.limit)]
    async fn ask(&self) {}
}

rail_chain! { struct Guards { guard: Guard } }

fn main() {
    let _ = Guards { guard: Guard };
}
