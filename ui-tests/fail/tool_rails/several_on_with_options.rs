//! The message should say: a method with `tool` can have only one `#[on(…)]`

use exo_rails::prelude::*;

struct Guard;

#[rail]
impl Guard {
    #[on(PreToolCall, tool = "delete_file")]
    #[on(PostToolCall)]
    fn check(&self) -> Verdict {
        Verdict::abort("seen")
    }
}

fn main() {}
