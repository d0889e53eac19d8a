//! What it shows: a program has its own policy struct with `WithMode`, and a generic function makes fields with a mode from it.
use exo_rails::prelude::*;
use exo_rails::{InMode, Mode};
use exo_rails_guards::config::{self, GuardMode, MakeGuard, WithMode};
use exo_rails_guards::loops::LoopsConfig;
use exo_rails_guards::secrets::SecretsConfig;
use exo_rails_guards::sizes::SizesConfig;
use exo_rails_guards::{ConfigError, Loops, Secrets, Sizes};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Policy {
    name: String,
    sizes: WithMode<SizesConfig>,
    secrets: WithMode<SecretsConfig>,
    loops: Option<WithMode<LoopsConfig>>,
}

rail_chain! {
    struct FileRails { sizes: InMode<Sizes>, secrets: InMode<Secrets>, loops: Option<InMode<Loops>> }
}

fn in_mode<C: MakeGuard<G>, G>(read: WithMode<C>) -> Result<InMode<G>, ConfigError> {
    let mode = match read.mode {
        GuardMode::Enforce => Mode::Enforce,
        GuardMode::Shadow => Mode::Shadow,
        GuardMode::Off => Mode::Off,
    };
    Ok(InMode::new(mode, read.config.make()?))
}

impl TryFrom<Policy> for FileRails {
    type Error = ConfigError;

    fn try_from(policy: Policy) -> Result<Self, ConfigError> {
        Ok(Self {
            sizes: in_mode(policy.sizes)?,
            secrets: in_mode(policy.secrets)?,
            loops: policy.loops.map(in_mode).transpose()?,
        })
    }
}

const POLICY: &str = "
name = 'a policy'
sizes = { max_argument_bytes = 30 }
secrets = { mode = 'shadow' }
";

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy: Policy = config::from_toml(POLICY)?;
    assert_eq!(policy.name, "a policy");
    let rails: FileRails = policy.try_into()?;
    assert_eq!((rails.sizes.mode(), rails.secrets.mode(), rails.loops.is_none()), (Mode::Enforce, Mode::Shadow, true));

    let mut ctx = RunContext::new("files");
    let text = "DB_PASSWORD=correct-horse-battery-9";
    let read = |_: Permit<ToolCallInputs>| async move { Ok::<_, OperationError>(text) };
    let output = rails.guard_tool_call(ToolCallInputs::new("read"), &mut ctx, read).await?;
    assert_eq!(output.content, text);
    let long = ToolCallInputs::new("read").with_arguments(serde_json::json!({ "path": "a".repeat(50) }));
    let output = rails.guard_tool_call(long, &mut ctx, read).await?;
    assert!(output.content.contains("sizes/"), "{}", output.content);
    Ok(())
}
