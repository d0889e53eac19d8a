//! What it shows: requirements name guards of the kit, and a host holds one of several chains as `DynGuardSet<dyn Meets<…>>`.
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, Meets, chain_requirements};
use exo_rails_agent::{Agent, ScriptedModel};
use exo_rails_guards::sequence::{Sequence, SequenceRule};
use exo_rails_guards::{Approval, ConfigError, Permissions, PermissionsConfig, config};
use serde_json::{Value, json};

chain_requirements! {
    /// The rules of the bank for all its branches.
    struct BankPolicy {
        first(Permissions on PreToolCall),
        require(Approval on PreToolCall),
        before(Permissions, Approval),
    }
}

rail_chain! {
    #[chain(requirements = BankPolicy)]
    struct CounterRails { approval: Approval, permissions: Permissions }
}

rail_chain! {
    #[chain(requirements = BankPolicy)]
    struct VaultRails { permissions: Permissions, approval: Approval, sequence: Option<Sequence> }
}

type BankRails = DynGuardSet<dyn Meets<BankPolicy>>;

struct Branch {
    agent: Agent<ScriptedModel, BankRails>,
}

impl Branch {
    fn new(name: &str, rails: impl Meets<BankPolicy> + 'static) -> Result<Self, exo_rails_agent::ScriptError> {
        let model: ScriptedModel = r#"[{ "call": [{ "tool": "open" }, { "tool": "burn" }] }, { "say": "Done." }]"#.parse()?;
        let tools = ["open", "burn"].map(|name| {
            Tool::new(name, "Does it.", json!({}), move |_: Value| async move { Ok::<_, OperationError>(format!("{name}: done")) })
        });
        Ok(Self { agent: Agent::builder(name, model).tools(tools).rails(BankRails::of(Arc::new(rails))).build() })
    }
}

fn guards() -> Result<(Permissions, Approval), ConfigError> {
    let rules = "default = 'allow'\n[[rules]]\nname = 'no-fire'\ntool = 'burn'\ndecision = 'deny'";
    let approval = Approval::new(config::from_toml("[[rules]]\ntool = 'transfer'")?)?;
    Ok((Permissions::new(PermissionsConfig::from_toml(rules)?)?, approval))
}

fn vault(rule: Option<SequenceRule>) -> Result<impl Meets<BankPolicy>, ConfigError> {
    let (permissions, approval) = guards()?;
    let sequence = rule.map(|rule| Sequence::builder().rules([rule]).build()).transpose()?;
    Ok(VaultRails { permissions, approval, sequence })
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (permissions, approval) = guards()?;
    let branches = [
        Branch::new("counter", CounterRails { permissions, approval })?,
        Branch::new("vault", vault(Some("open only after knock".parse()?))?)?,
        Branch::new("old vault", vault(None)?)?,
    ];
    for (branch, opens) in branches.iter().zip([true, false, true]) {
        let answer = branch.agent.run("Open the door.").await?;
        assert_eq!(answer.messages[2].text() == "open: done", opens, "{}", branch.agent.name());
        assert!(answer.messages[3].text().contains("permissions/no-fire"));
    }
    Ok(())
}
