//! A chain with state in a `static`, and a `RailManager` in a `LazyLock`, used by free functions.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;

struct VisitLimit(u32, AtomicU32);

impl VisitLimit {
    const fn new(most: u32) -> Self {
        Self(most, AtomicU32::new(0))
    }
}

#[rail(priority = 20)]
impl VisitLimit {
    #[on(PreToolCall, tool = "book_visit")]
    fn count(&self) -> RailAction {
        let is_busy = self.1.fetch_add(1, Ordering::Relaxed) >= self.0;
        Verdict::abort_if(is_busy, "the doctor is busy").into()
    }
}

rail_chain! { struct ClinicRails { visits: VisitLimit } }

static CLINIC: ClinicRails = ClinicRails { visits: VisitLimit::new(1) };

static HOSPITAL: LazyLock<RailManager> = LazyLock::new(|| {
    let mut manager = RailManager::new();
    manager.add_named("visits", VisitLimit::new(100)).expect("the manager is empty");
    manager
});

async fn book(house: &str) -> Result<String, RunError> {
    let (call, mut ctx) = (ToolCallInputs::new("book_visit"), RunContext::new(house));
    let tool = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>(format!("booked in the {house}"));
    Ok(match house {
        "clinic" => CLINIC.guard_tool_call(call, &mut ctx, tool).await?.content,
        _ => HOSPITAL.guard_tool_call(call, &mut ctx, tool).await?.content,
    })
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    assert_eq!([book("clinic").await?, book("hospital").await?], ["booked in the clinic", "booked in the hospital"]);
    assert!(book("clinic").await.is_err() && book("hospital").await.is_ok());
    Ok(())
}
