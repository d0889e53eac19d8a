//! What it shows: fields of the types `Vec<Arc<R>>`, `Option<Arc<R>>` and `Option<InnerChain>`, in one chain, and a
//! priority that is an associated constant of the rail.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::testing;

struct Blocked(&'static str);

#[rail(priority = 10)]
impl Blocked {
    #[on(PreToolCall)]
    fn tool(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == self.0, "it is blocked")
    }
}

struct Quiet {
    until: u32,
}

#[rail(priority = Self::EVENING + 2)]
impl Quiet {
    const EVENING: i32 = 18;

    #[on(PreToolCall)]
    fn hours(&self, call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
        let loud = call.tool_name == "vacuum" && ctx.step() < self.until;
        if loud { RailAction::skip("the house sleeps") } else { RailAction::Continue }
    }
}

#[derive(Default)]
struct Tally(AtomicUsize);

#[rail(priority = 90)]
impl Tally {
    #[on(PreToolCall, always)]
    fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

rail_chain! {
    struct Night { quiet: Quiet }
}

rail_chain! {
    struct HouseRails {
        blocked: Vec<Arc<Blocked>>,
        night: Option<Night>,
        tally: Option<Arc<Tally>>,
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    let tally = Arc::new(Tally::default());
    let blocked: Vec<_> = ["oven", "garage"].into_iter().map(|tool| Arc::new(Blocked(tool))).collect();
    let rails =
        HouseRails { blocked, night: Some(Night { quiet: Quiet { until: 6 } }), tally: Some(Arc::clone(&tally)) };
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("garage")).await.assert_aborted("blocked");
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("vacuum")).await.assert_skipped("the house sleeps");
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("lamp")).await.assert_continued();
    assert_eq!(tally.0.load(Ordering::Relaxed), 3);

    drop(rails);
    let rails = HouseRails { blocked: Vec::new(), night: None, tally: None };
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("vacuum")).await.assert_continued();
    assert_eq!(Arc::strong_count(&tally), 1);
}
