//! Approval by people: the desk, the inbox, what is remembered, and changed calls.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod changes;
mod desk;
mod durable;
mod guard;
#[cfg(feature = "file-store")]
mod kills;
mod memory;
mod user_questions;

use std::sync::{Arc, Mutex};

use exo_rails::prelude::*;
use exo_rails_guards::approval::{Ask, ChangedCalls};
use exo_rails_guards::{Approval, config};
use serde_json::{Value, json};

rail_chain! {
    struct Guarded { changed_calls: ChangedCalls, approval: Approval }
}

/// A guard that asks about `pay` and `drop_*`.
fn guarded(asker: impl Ask + 'static) -> Guarded {
    guarded_by("[[rules]]\ntool = ['pay', 'drop_*']\nbecause = 'money'", asker)
}

fn guarded_by(toml: &str, asker: impl Ask + 'static) -> Guarded {
    let approval = Approval::new(config::from_toml(toml).unwrap()).unwrap().with_asker(Arc::new(asker));
    Guarded { changed_calls: ChangedCalls, approval }
}

fn pay(to: &str) -> ToolCallInputs {
    ToolCallInputs::new("pay").with_arguments(json!({ "to": to }))
}

/// The calls that have run.
#[derive(Clone, Default)]
struct Ledger(Arc<Mutex<Vec<Value>>>);

impl Ledger {
    fn calls(&self) -> Vec<Value> {
        self.0.lock().unwrap().clone()
    }

    async fn run(
        &self,
        rails: &impl Guard,
        ctx: &mut RunContext,
        call: ToolCallInputs,
    ) -> Result<ToolOutput, RunError> {
        let tool = |call: Permit<ToolCallInputs>| {
            self.0.lock().unwrap().push(call.arguments.clone());
            async { Ok::<_, OperationError>(ToolOutput::text("done")) }
        };
        rails.guard_tool_call(call, ctx, tool).await
    }
}
