//! A `macro_rules!` writes one rail for each line of a table, and the chain that lists all of them.

use exo_rails::prelude::*;
use exo_rails::testing;

macro_rules! refusals {
    ($(#[$docs:meta])* $chain:ident at $priority:expr, on $event:ident {
        $($rail:ident: $tool:literal => $reason:literal),* $(,)?
    }) => {
        $(
            #[rail(priority = $priority, on = [$event], tool = $tool)]
            fn $rail() -> RailAction {
                RailAction::skip($reason)
            }
        )*

        rail_chain! {
            $(#[$docs])*
            #[derive(Clone, Copy, Debug)]
            struct $chain { $($rail),* }
        }
    };
}

const REFUSALS: i32 = 10;

refusals! {
    /// What the assistant of the pharmacy never does.
    PharmacyRails at REFUSALS, on PreToolCall {
        no_diagnosis: "diagnose" => "only a doctor makes a diagnosis",
        no_prescription: "prescribe" => "only a doctor prescribes",
        no_returns: "take_back" => "drugs are not taken back",
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    let rails = PharmacyRails;
    testing::assert_order(&rails, HookPoint::PreToolCall, ["no_diagnosis", "no_prescription", "no_returns"]);
    for (tool, rail) in [("diagnose", "no_diagnosis"), ("take_back", "no_returns")] {
        testing::at::<PreToolCall>(&rails, ToolCallInputs::new(tool)).await.assert_by(rail);
    }
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("find_drug")).await.assert_continued();
}
