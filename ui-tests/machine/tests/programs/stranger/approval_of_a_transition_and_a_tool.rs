//! What it shows: the guard `Approval` asks about a transition of a machine, and the machine resumes with the reply of a person.
use exo_rails::prelude::*;
use exo_rails_agent::ScriptedModel;
use exo_rails_guards::approval::Reply;
use exo_rails_guards::{Approval, ConfigError, config};
use exo_rails_machine::{Executor, MachineError, MachineState, Node, Status, Transition, machine};

machine! {
    machine Press {
        init Draft {
            prompt: "Publish the article, or drop it.";
            -> Released;
            -> Dropped;
        }
        end Released;
        end Dropped;
    }
}

rail_chain! {
    #[chain(operations = [Transition])]
    struct PressRails { approval: Approval }
}

fn rails() -> Result<PressRails, ConfigError> {
    let rules = "[[rules]]\ntool = 'transition_to_Released'\nbecause = 'an editor publishes'\nremember = []";
    Ok(PressRails { approval: Approval::new(config::from_toml(rules)?)? })
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let choice = |node: &str| {
        format!(r#"{{ "call": [{{ "tool": "transition_to_{node}", "arguments": {{ "reason": "I like it" }} }}] }}"#)
    };
    for (reply, node) in [(Reply::ApproveOnce, press::Released::PATH), (Reply::deny("not today"), press::Dropped::PATH)] {
        let model: ScriptedModel = format!("[{}, {}]", choice("Released"), choice("Dropped")).parse()?;
        let executor = Executor::builder(Press::machine(), model).rails(rails()?).build()?;
        let stopped = executor.run().await.unwrap_err();
        assert!(matches!(stopped.error, MachineError::Suspended { .. }));

        // The state is saved, and somebody answers in another process.
        let mut state: MachineState = serde_json::from_str(&serde_json::to_string(&stopped.state)?)?;
        assert_eq!(state.status(), Status::Suspended);
        let id = {
            let asked = state.questions().next().ok_or("nobody asks")?;
            assert_eq!(asked.node, press::Draft::PATH);
            assert!(asked.open.question.text.as_str().contains("an editor publishes"));
            asked.id
        };
        state.answer(&id, reply)?;
        let done = executor.resume(state)?.run().await?;
        assert_eq!(done.ended_at, [node]);
    }
    Ok(())
}
