//! What it shows: a `macro_rules!` macro that writes several rails and the chain that lists them, with the attributes and the
//! visibility of its caller.

use exo_rails::prelude::*;
use exo_rails::testing;

macro_rules! block_list {
    (
        $(#[$meta:meta])*
        $vis:vis struct $chain:ident at $priority:expr => { $($name:ident: $($tool:literal)|+ => $reason:expr),+ $(,)? }
    ) => {
        $(
            #[rail(priority = $priority, on = [PreToolCall])]
            fn $name(call: &ToolCallInputs) -> RailAction {
                match call.tool_name.as_str() {
                    $($tool)|+ => RailAction::skip($reason),
                    _ => RailAction::Continue,
                }
            }
        )+

        rail_chain! {
            $(#[$meta])*
            $vis struct $chain { $($name),+ }
        }
    };
}

block_list! {
    /// What the smart home never does.
    #[derive(Clone, Copy, Debug, Default)]
    struct HomeRails at 10 + 5 => {
        no_fire: "light_stove" | "light_candle" => "fire needs a person",
        no_doors: "open_door" => format!("doors open {}", "by hand"),
    }
}

block_list! {
    pub(crate) struct CarRails at 20 => { no_horn: "honk" => "it is night" }
}

rail_chain! {
    #[chain(unique_priorities)]
    struct AllRails { HomeRails, #[rail(priority = 60)] CarRails }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    assert_eq!(format!("{:?}", HomeRails::default()), "HomeRails");
    testing::assert_order(&AllRails, HookPoint::PreToolCall, ["no_fire", "no_doors", "no_horn"]);
    for (tool, rail) in [("light_candle", "no_fire"), ("open_door", "no_doors"), ("honk", "no_horn")] {
        testing::at::<PreToolCall>(&AllRails, ToolCallInputs::new(tool)).await.assert_by(rail);
    }
}
