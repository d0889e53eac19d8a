//! A function takes anything that converts into a `Definition`: a machine in Rust, or a machine from a file.

use std::error::Error;

use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Definition, Executor, Node, machine};

machine! {
    machine TrafficLight {
        init Red { -> Green; }
        state Green { -> Off; }
        end Off;
    }
}

const FLOW: &str = r#"
    machine "Ferry"
    Init moored;
    Task look { prompt: "Is the sea calm?"; }
    End sails;
    End stays;
    moored -> look;
    look -> sails, stays;
"#;

async fn end_of(machine: impl Into<Definition>, script: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let model: ScriptedModel = script.parse()?;
    let done = Executor::builder(machine, model).build()?.run().await?;
    Ok(done.ended_at)
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn Error>> {
    assert_eq!(end_of(TrafficLight::machine(), "[]").await?, [traffic_light::Off::PATH]);

    let ferry = exo_rails_dygram::read("ferry.dygram", FLOW).into_result()?;
    let script = |to: &str| {
        format!(r#"[{{ "call": [{{ "tool": "transition_to_{to}", "arguments": {{ "reason": "the sea" }} }}] }}]"#)
    };
    assert_eq!(end_of(&ferry, &script("stays")).await?, ["stays"]);
    assert_eq!(end_of(ferry, &script("sails")).await?, ["sails"]);
    Ok(())
}
