//! The message should say: `redact` is a module here.

use exo_rails::prelude::*;

mod redact {
    use exo_rails::prelude::*;

    #[rail(on = [PostToolCall])]
    pub fn redact(output: &mut ToolOutput) {
        output.content.clear();
    }
}

use redact::*;

rail_chain! {
    struct Guards {
        redact,
    }
}

fn main() {
    let _ = Guards;
}
