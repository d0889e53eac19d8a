//! What it shows: a rail with a const parameter, a default type parameter, a `where` clause and helpers in the same block, listed
//! with a function pointer and with the default.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use exo_rails::prelude::*;
use exo_rails::testing;

const LIMITS: i32 = 15;

static TICKS: AtomicU64 = AtomicU64::new(1);

fn ticks() -> u64 {
    TICKS.fetch_add(1, Ordering::Relaxed)
}

/// At most `N - 1` calls in ten ticks of the clock.
struct Spacing<const N: usize, C = fn() -> u64> {
    clock: C,
    last: Mutex<[u64; N]>,
}

#[rail(priority = LIMITS)]
impl<const N: usize, C> Spacing<N, C>
where
    C: Fn() -> u64 + Send + Sync,
{
    const TICKS: u64 = 10;

    fn new(clock: C) -> Self {
        Self { clock, last: Mutex::new([0; N]) }
    }

    /// Forgets all calls.
    fn reset(&mut self) {
        *self.last.get_mut().unwrap() = [0; N];
    }

    #[on(PreToolCall)]
    fn space(&self) -> RailAction {
        let now = (self.clock)();
        let mut last = self.last.lock().unwrap();
        last.rotate_left(1);
        last[N - 1] = now;
        if last[0] > 0 && now - last[0] < Self::TICKS {
            return RailAction::skip(format!("{N} calls in {} ticks", Self::TICKS));
        }
        RailAction::Continue
    }
}

rail_chain! {
    struct Limits { pairs: Spacing<2>, triples: Spacing<{ 2 + 1 }, fn() -> u64> }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    let mut rails = Limits { pairs: Spacing::new(ticks), triples: Spacing::new(ticks) };
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("ping")).await.assert_continued();
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("ping")).await.assert_skipped("2 calls in 10 ticks");
    rails.pairs.reset();
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("ping")).await.assert_continued();
    rails.pairs.reset();
    testing::at::<PreToolCall>(&rails, ToolCallInputs::new("ping")).await.assert_skipped("3 calls in 10 ticks");
}
