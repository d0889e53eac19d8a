//! The message should say: (the compiler's own words) the future is not `Send`: an `Rc` is held across an `.await`.

use exo_rails::prelude::*;

use std::rc::Rc;

struct Budget;

async fn pause() {}

#[rail]
impl Budget {
    #[on(PreToolCall)]
    async fn before(&self) -> Verdict {
        let limit = Rc::new(3);
        pause().await;
        Verdict::abort_if(*limit > 3, "over budget")
    }
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {
    let _ = MyRails { budget: Budget };
}
