//! A rail that is generic over a clock and over a constant, and a chain that lists it with concrete parameters.

use exo_rails::prelude::*;
use exo_rails::testing;

trait Clock {
    fn hour(&self) -> u32;
}

/// A clock that stands still.
struct Stopped(u32);

impl Clock for Stopped {
    fn hour(&self) -> u32 {
        self.0
    }
}

/// Takes bookings from `OPENS` o'clock on.
struct OpeningHours<C, const OPENS: u32> {
    clock: C,
}

#[rail(priority = 15, name = "opening_hours")]
impl<C, const OPENS: u32> OpeningHours<C, OPENS>
where
    C: Clock + Send + Sync + 'static,
{
    #[on(PreToolCall, tool = "book_table")]
    fn is_open(&self) -> RailAction {
        if self.clock.hour() < OPENS { RailAction::skip(format!("we open at {OPENS}")) } else { RailAction::Continue }
    }
}

rail_chain! {
    struct BistroRails { lunch: OpeningHours<Stopped, 11> }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    let at = |hour| BistroRails { lunch: OpeningHours { clock: Stopped(hour) } };
    let early = testing::at::<PreToolCall>(&at(9), ToolCallInputs::new("book_table")).await;
    early.assert_skipped("we open at 11").assert_by("opening_hours");
    testing::at::<PreToolCall>(&at(12), ToolCallInputs::new("book_table")).await.assert_continued();
    testing::at::<PreToolCall>(&at(9), ToolCallInputs::new("read_menu")).await.assert_continued();
}
