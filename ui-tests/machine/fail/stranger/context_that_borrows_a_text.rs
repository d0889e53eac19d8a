//! The message should say: a context owns its data, because agents write it as JSON while the machine runs, and `Letter<'static>`
//! borrows: write `text: String` and `context letter: Letter;`.
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, machine};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Letter<'a> {
    text: &'a str,
    pages: u32,
}

machine! {
    machine Post {
        context letter: Letter<'static>; // <- here

        init Weigh {
            reads letter { pages };
            -> Parcel when letter.pages > 20;
            -> Read;
        }
        task Read {
            prompt: "Is this letter urgent? {{letter.text}}";
            reads letter { text };
            -> Express;
            -> Parcel;
        }
        end Express;
        end Parcel;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel =
        r#"[{ "call": [{ "tool": "transition_to_Express", "arguments": { "reason": "urgent" } }] }]"#.parse()?;
    let letter = Letter { text: "Come at once!", pages: 1 };
    println!("{:?}", Executor::builder(Post::machine(letter), model).build()?.run().await?.ended_at);
    Ok(())
}
