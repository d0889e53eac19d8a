//! The message should say: `loop` is a keyword. Write `r#loop: LoopGuard`, or choose another name for the field.

use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;

/// Ends a run that calls tools for ever.
struct LoopGuard {
    most: u32,
    calls: AtomicU32,
}

#[rail(priority = 10)]
impl LoopGuard {
    #[on(PreToolCall)]
    fn count(&self) -> Verdict {
        Verdict::abort_if(self.calls.fetch_add(1, Ordering::Relaxed) >= self.most, "the agent runs in circles")
    }
}

rail_chain! {
    struct CrawlerRails {
        loop: LoopGuard, // <- here
    }
}

fn main() {
    let _ = CrawlerRails { r#loop: LoopGuard { most: 100, calls: AtomicU32::new(0) } };
}
