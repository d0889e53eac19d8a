//! A machine from a file is drawn as Mermaid and as DOT, without and with the path that it took.

use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Definition, Executor, dot, mermaid, replay};

const FLOW: &str = r#"
    machine "Ticket"
    State opened;
    Task solve { prompt: "Solve the ticket."; }
    End closed;
    End escalated;
    opened -> solve;
    solve -> closed, escalated;
"#;

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let machine = exo_rails_dygram::read("ticket.dygram", FLOW).into_result()?;
    let before = mermaid(&machine, None);

    let model: ScriptedModel =
        r#"[{ "call": [{ "tool": "transition_to_escalated", "arguments": { "reason": "too hard" } }] }]"#.parse()?;
    let done = Executor::builder(&machine, model).build()?.run().await?;
    let after = mermaid(&machine, Some(&done.history));
    assert!(before.starts_with("flowchart TD") && !before.contains("linkStyle"));
    assert!(after.contains("linkStyle"));

    let definition = Definition::from(&machine);
    assert!(dot(definition.machine(), Some(&done.history)).starts_with("digraph"));
    let positions = replay(definition, &done.history)?;
    assert_eq!(positions.len(), done.history.steps.len());
    Ok(())
}
