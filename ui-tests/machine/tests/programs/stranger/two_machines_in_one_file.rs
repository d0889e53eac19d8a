//! What it shows: two machines of one file have nodes of the same names and share a context type, and one continues the other.
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, Node, machine};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Text {
    title: String,
    words: u32,
}

machine! {
    /// Writes a text.
    machine Writing {
        context text: Text;

        init Begin {
            prompt: "Write about {{text.title}}, and count the words.";
            reads text { title };
            writes text { words };
            -> Done;
        }
        end Done;
    }
}

machine! {
    /// Decides about a text that is written.
    machine Printing "Printing" @concurrent(2) {
        context text: Text;

        init Begin {
            reads text { words };
            -> Done when text.words > 2;
            -> Refused;
        }
        end Done;
        end Refused;
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let writer: ScriptedModel = r#"[
        { "call": [{ "tool": "write_text", "arguments": { "field": "words", "value": 3 } }] },
        { "say": "Tea is hot." }
    ]"#
    .parse()?;
    let text = Text { title: "Tea".to_owned(), words: 0 };
    let written = Executor::builder(Writing::machine(text), writer).build()?.run().await?;
    assert_eq!(written.ended_at, [writing::Done::PATH]);

    let text: Text = written.state.contexts().typed("text")?;
    assert_eq!(text, Text { title: "Tea".to_owned(), words: 3 });
    let printed = Executor::builder(Printing::machine(text), "[]".parse::<ScriptedModel>()?).build()?.run().await?;
    assert_eq!(printed.ended_at, [printing::Done::PATH]);
    assert_eq!(printing::Refused::PATH, "Refused");
    Ok(())
}
