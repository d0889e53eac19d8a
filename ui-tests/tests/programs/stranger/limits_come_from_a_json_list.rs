//! A list of rails and an optional rail, both from a configuration. The optional rail is a function.

use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;
use exo_rails::testing;
use serde::Deserialize;

#[derive(Deserialize)]
struct DailyLimit {
    tool: String,
    most: u32,
    #[serde(skip)]
    used: AtomicU32,
}

#[rail(priority = 30)]
impl DailyLimit {
    #[on(PreToolCall)]
    fn count(&self, call: &ToolCallInputs) -> RailAction {
        if call.tool_name == self.tool && self.used.fetch_add(1, Ordering::Relaxed) >= self.most {
            return RailAction::skip(format!("at most {} a day", self.most));
        }
        RailAction::Continue
    }
}

#[rail(priority = 5, on = [PreToolCall])]
fn closed() -> Verdict {
    Verdict::abort("the museum is closed")
}

rail_chain! {
    struct MuseumRails { limits: Vec<DailyLimit>, holiday: Option<closed> }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), serde_json::Error> {
    let config = r#"[{ "tool": "sell_ticket", "most": 1 }, { "tool": "give_tour", "most": 0 }]"#;
    let rails = MuseumRails { limits: serde_json::from_str(config)?, holiday: None };
    let tour = testing::at::<PreToolCall>(&rails, ToolCallInputs::new("give_tour")).await;
    tour.assert_skipped("at most 0 a day").assert_by("limits[1]");
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("sell_ticket")).await.assert_continued();

    let rails = MuseumRails { holiday: Some(closed {}), ..rails };
    let ticket = testing::at::<PreToolCall>(&rails, ToolCallInputs::new("sell_ticket")).await;
    ticket.assert_aborted("the museum is closed").assert_by("closed");
    Ok(())
}
