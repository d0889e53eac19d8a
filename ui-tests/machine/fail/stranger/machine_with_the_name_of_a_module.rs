//! The message should say: the machine `OrderDesk` makes a module `order_desk` with its nodes, and there is another module of this
//! name: rename one of them.
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, machine};
use serde::{Deserialize, Serialize};

mod order_desk {
    pub fn is_open(hour: u32) -> bool {
        (9..17).contains(&hour)
    }
}

#[derive(Serialize, Deserialize)]
struct Clock {
    hour: u32,
}

machine! {
    machine OrderDesk { // <- here
        context clock: Clock;

        init Rings {
            reads clock { hour };
            -> Answered when order_desk::is_open(clock.hour);
            -> Recorded;
        }
        end Answered;
        end Recorded;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = "[]".parse()?;
    println!("{:?}", Executor::builder(OrderDesk::machine(Clock { hour: 12 }), model).build()?.run().await?.ended_at);
    Ok(())
}
