//! The message should say: `HideKeys` may be off, because it is in an `InMode`, and `Mailroom` requires it on `PostToolCall`.
//! List it without `InMode`: `keys: HideKeys`.

use exo_rails::prelude::*;
use exo_rails::{InMode, Mode, chain_requirements};

struct HideKeys {
    prefix: &'static str,
}

#[rail(priority = 40)]
impl HideKeys {
    #[on(PostToolCall)]
    fn hide(&self, output: &mut ToolOutput) {
        if output.content.contains(self.prefix) {
            output.content = "[this mail has a key in it]".to_owned();
        }
    }
}

chain_requirements! {
    struct Mailroom { require(HideKeys on PostToolCall) }
}

rail_chain! {
    #[chain(requirements = Mailroom)] // <- here
    struct InboxRails { keys: InMode<HideKeys> }
}

fn main() {
    let _ = InboxRails { keys: InMode::new(Mode::Shadow, HideKeys { prefix: "sk-" }) };
}
