//! The arguments of the tool are an enum of commands, and `ToolArgs` takes a struct. An ideal message would say that the
//! arguments of a tool are a struct with named fields, and that the enum can be the type of one of them.

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Changes the heating of the greenhouse.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "heating", schema = json!({ "type": "object" }))]
#[serde(tag = "do", rename_all = "snake_case")]
enum Heating {
    Raise { degrees: u8 },
    Lower { degrees: u8 },
    Off {},
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let heating = Heating::tool(|command| async move {
        Ok::<_, OperationError>(match command {
            Heating::Raise { degrees } => format!("{degrees} degrees warmer"),
            Heating::Lower { degrees } => format!("{degrees} degrees colder"),
            Heating::Off {} => "off".to_owned(),
        })
    });
    let model: ScriptedModel = r#"[
        { "call": [{ "tool": "heating", "arguments": { "do": "raise", "degrees": 2 } }] },
        { "say": "It gets warmer." }
    ]"#
    .parse()?;
    let agent = Agent::builder("greenhouse", model).tool(heating).build();
    println!("{}", agent.run("The tomatoes are cold.").await?.text);
    Ok(())
}
