//! The program writes `run()?` without `.await`, so `?` meets a future. An ideal message would say that `run` is async, and to
//! write `executor.run().await?`.

use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, Node, machine};

machine! {
    /// A parcel on its way.
    machine Delivery {
        init Packed { -> OnTheRoad; }
        state OnTheRoad {
            -> Delivered;
            -> ReturnedToSender;
        }
        end Delivered;
        end ReturnedToSender;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel =
        r#"[{ "call": [{ "tool": "transition_to_Delivered", "arguments": { "reason": "somebody is at home" } }] }]"#.parse()?;
    let executor = Executor::builder(Delivery::machine(), model).build()?;
    let done = executor.run()?;
    assert_eq!(done.ended_at, [delivery::Delivered::PATH]);
    Ok(())
}
