//! Written as a mistake: the library now accepts it.
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_guards::approval::Inbox;
use exo_rails_guards::sequence::{Sequence, SequenceRule};
use exo_rails_guards::store::{MemoryStore, StateStore};
use exo_rails_guards::{Approval, config};

rail_chain! {
    struct ClinicRails { approval: Approval, sequence: Sequence }
}

fn rails(store: Arc<dyn StateStore>) -> Result<ClinicRails, exo_rails_guards::ConfigError> {
    let rule: SequenceRule = "prescribe only after check_allergies same patient".parse()?;
    let sequence: Sequence = Sequence::builder().rules([rule]).build()?;
    let approval = Approval::new(config::from_toml("[[rules]]\ntool = 'prescribe'")?)?;
    Ok(ClinicRails {
        approval: approval.with_asker(Arc::new(Inbox::new(store.clone()))),
        sequence: sequence.with_store(store),
    })
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rails = rails(Arc::new(MemoryStore::new()))?;
    let check = |_| async { Ok::<_, OperationError>(ToolOutput::text("none")) };
    let call = ToolCallInputs::new("check_allergies").with_arguments(serde_json::json!({ "patient": 7 }));
    println!("{}", rails.guard_tool_call(call, &mut RunContext::new("clinic"), check).await?.content);
    Ok(())
}
