//! The executor gets a bare `Kit`, and a kit does not guard the operation `Transition`. An ideal message would say to list the
//! kit in a chain with `#[chain(operations = [Transition])]`.

use exo_rails_agent::ScriptedModel;
use exo_rails_guards::Kit;
use exo_rails_machine::Executor;

const FLOW: &str = r#"
    machine "Laundry"
    Init arrived;
    Task sort { prompt: "Wash it hot or cold?"; }
    End hot;
    End cold;
    arrived -> sort;
    sort -> hot, cold;
"#;

const POLICY: &str = "
    [budgets]
    limits = [{ name = 'turns', of = 'model_calls', most = 10 }]
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let machine = exo_rails_dygram::read("laundry.dygram", FLOW).into_result()?;
    let model: ScriptedModel = r#"[{ "call": [{ "tool": "transition_to_cold", "arguments": { "reason": "wool" } }] }]"#.parse()?;
    let kit = Kit::from_toml(POLICY)?;
    let executor = Executor::builder(&machine, model).rails(kit).build()?;
    println!("{:?}", executor.plan().node("sort").map(|node| node.edges.len()));
    Ok(())
}
