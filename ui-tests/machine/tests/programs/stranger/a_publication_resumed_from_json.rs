//! A rail asks about a transition. The state of the machine becomes JSON, and continues when the editor has answered.

use exo_rails::prelude::*;
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{
    Executor, MachineState, Node, PreTransition, Transition, TransitionRecord, TransitionRequest, machine,
};

machine! {
    machine Bulletin {
        init Draft { -> Printed; }
        end Printed;
    }
}

#[rail(priority = 20, on = [PreTransition])]
fn editor_agrees(request: &TransitionRequest, ctx: &RailContext) -> Result<RailAction<TransitionRecord>, serde_json::Error> {
    if request.to != bulletin::Printed::PATH {
        return Ok(RailAction::Continue);
    }
    let question = ctx.question("publish the bulletin");
    Ok(match ctx.answer_to(&question)? {
        None => RailAction::suspend(question),
        Some(true) => RailAction::Continue,
        Some(false) => RailAction::skip("the editor has refused the bulletin"),
    })
}

rail_chain! {
    #[chain(operations = [Transition])]
    struct PressRails { editor_agrees }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = "[]".parse()?;
    let executor = Executor::builder(Bulletin::machine(), model).rails(PressRails).build()?;
    let stopped = executor.run().await.unwrap_err();
    let stored = serde_json::to_string(&stopped.state)?;

    // The next morning.
    let mut state: MachineState = serde_json::from_str(&stored)?;
    let ids: Vec<String> = state.questions().map(|asked| asked.id).collect();
    for id in &ids {
        state.answer(id, true)?;
    }
    let done = executor.resume(state)?.run().await?;
    assert_eq!(done.ended_at, [bulletin::Printed::PATH]);
    Ok(())
}
