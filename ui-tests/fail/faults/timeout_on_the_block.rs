//! The message should say: `timeout` is of one method

use exo_rails::prelude::*;

struct Guard;

#[rail(timeout = "2s")]
impl Guard {
    #[on(PreToolCall)]
    async fn check(&self) {}
}

fn main() {}
