//! What it shows: two users share one `Arc<dyn StateStore>` in namespaces, and an approval for ever is valid for one of them.
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_guards::approval::{Approvals, Inbox, Remember, Reply};
use exo_rails_guards::store::{MemoryStore, StateStore, StateStoreExt};
use exo_rails_guards::{Approval, ConfigError, config};

rail_chain! {
    struct BankRails { approval: Approval }
}

/// The guards in the process of a user.
struct Desk {
    rails: BankRails,
    inbox: Inbox,
}

impl Desk {
    fn of(user: &str, store: &Arc<dyn StateStore>) -> Result<Self, ConfigError> {
        let inbox = Inbox::new(store.clone().namespace(user));
        let approval = Approval::new(config::from_toml("[[rules]]\ntool = 'pay'")?)?;
        Ok(Self { rails: BankRails { approval: approval.with_asker(Arc::new(inbox.clone())) }, inbox })
    }

    async fn pay(&self, run: &str) -> Result<ToolOutput, RunError> {
        let mut ctx = RunContext::new("bank").with_run_id(run);
        let pay = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("paid");
        self.rails.guard_tool_call(ToolCallInputs::new("pay"), &mut ctx, pay).await
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store: Arc<dyn StateStore> = Arc::new(MemoryStore::new());
    let (ada, bob) = (Desk::of("ada", &store)?, Desk::of("bob", &store)?);
    for (desk, run) in [(&ada, "a-1"), (&bob, "b-1")] {
        let error = desk.pay(run).await.unwrap_err();
        assert!(error.suspension().is_some());
    }
    for open in ada.inbox.open().await? {
        ada.inbox.reply(&open, Reply::ApproveForever).await?;
    }
    for open in bob.inbox.open().await? {
        bob.inbox.reply(&open, Reply::ApproveOnce).await?;
    }
    assert_eq!(ada.pay("a-1").await?.content, "paid");
    assert_eq!(bob.pay("b-1").await?.content, "paid");

    // Ada is not asked again, and Bob is.
    assert_eq!(ada.pay("a-2").await?.content, "paid");
    assert!(bob.pay("b-2").await.is_err());
    let of_ada = Approvals::new(store.namespace("ada")).list().await?;
    assert_eq!(of_ada.iter().map(|approval| approval.remember).collect::<Vec<_>>(), [Remember::Forever]);
    Ok(())
}
