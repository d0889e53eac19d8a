//! The message should say: all of them at once: an argument twice, `&mut self`, two methods on one event.

use exo_rails::prelude::*;

struct Budget {
    calls: u32,
}

#[rail(priority = 10, priority = 20)]
impl Budget {
    #[on(PreToolCall)]
    async fn spend(&mut self) {
        self.calls += 1;
    }

    #[on(PreToolCall)]
    async fn report(&self) {}
}

fn main() {
    let _ = Budget { calls: 3 };
}
