//! An edge of the task leads to `Aproved`, and the node is called `Approved`. An ideal message would point at the target, and
//! ask: did you mean `Approved`?

use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, machine};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Thesis {
    title: String,
    pages: u32,
}

machine! {
    machine Defence {
        context thesis: Thesis;

        init Submitted {
            reads thesis { pages };
            -> Returned when thesis.pages < 30;
            -> Review;
        }
        task Review {
            prompt: "Read the thesis `{{thesis.title}}`, and decide.";
            reads thesis { title };
            -> Aproved;
            -> Returned;
        }
        end Approved;
        end Returned;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel =
        r#"[{ "call": [{ "tool": "transition_to_Approved", "arguments": { "reason": "good" } }] }]"#.parse()?;
    let thesis = Thesis { title: "On tides".to_owned(), pages: 84 };
    let done = Executor::builder(Defence::machine(thesis), model).build()?.run().await?;
    println!("{:?}", done.ended_at);
    Ok(())
}
