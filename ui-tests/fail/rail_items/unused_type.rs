//! The message should say: struct `Budget` is never constructed, and nothing about what stands beside it.

#![deny(warnings, dead_code)]

use exo_rails::prelude::*;

struct Budget;

#[rail]
impl Budget {
    #[on(PreToolCall)]
    async fn before(&self) {}
}

fn main() {}
