//! The message should say: an edge belongs to the node that it leaves: write `-> Sorted;` in the braces of `Arrived`,
//! `init Arrived { -> Sorted; }`.
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, machine};

machine! {
    machine Laundry {
        init Arrived;
        state Sorted;
        end Washed;

        Arrived -> Sorted; // <- here
        Sorted -> Washed;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = "[]".parse()?;
    let done = Executor::builder(Laundry::machine(), model).build()?.run().await?;
    println!("{:?}", done.ended_at);
    Ok(())
}
