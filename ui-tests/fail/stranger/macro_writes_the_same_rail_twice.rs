//! The message should say: the name `blocked` is defined twice, because the macro writes the same name in each call. Pass the
//! name of the rail to the macro: `($name:ident, $tool:literal)`.

use exo_rails::prelude::*;

macro_rules! block_tool {
    ($tool:literal) => {
        #[rail(priority = 10, on = [PreToolCall])]
        fn blocked(call: &ToolCallInputs) -> RailAction {
            if call.tool_name == $tool { RailAction::skip(concat!($tool, " is blocked")) } else { RailAction::Continue }
        }
    };
}

block_tool!("open_window");
block_tool!("turn_off_heating"); // <- here

rail_chain! {
    struct HomeRails { blocked }
}

fn main() {
    let _ = HomeRails;
}
