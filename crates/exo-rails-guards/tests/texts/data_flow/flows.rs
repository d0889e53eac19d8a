//! Flows with their verdicts: the table in `flows.json`.

use exo_rails_guards::{DataFlow, config};
use serde::Deserialize;
use serde_json::Value;

use crate::data_flow::support::{RAN, Run};

const CONFIGURATION: &str = include_str!("flows.toml");
const FLOWS: &str = include_str!("flows.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Flow {
    name: String,
    reads: Vec<Read>,
    call: Call,
    /// The sink that refuses the call, or nothing.
    verdict: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Read {
    User { user: String },
    System { system: String },
    Memory { memory: String },
    Tool { tool: String, arguments: Value, output: String },
}

#[derive(Deserialize)]
struct Call {
    tool: String,
    arguments: Value,
}

#[tokio::test]
async fn each_flow_has_its_verdict() {
    let flows: Vec<Flow> = serde_json::from_str(FLOWS).unwrap();
    assert!(flows.len() >= 40);
    let mut wrong = Vec::new();
    for Flow { name, reads, call, verdict } in flows {
        let mut run = Run::new(CONFIGURATION);
        for read in reads {
            match read {
                Read::User { user } => run.user(&user).await,
                Read::System { system } => run.system(&system).await,
                Read::Memory { memory } => run.memory(&memory).await,
                Read::Tool { tool, arguments, output } => {
                    assert_eq!(run.call(&tool, arguments, &output).await, output, "{name}");
                }
            }
        }
        let output = run.call(&call.tool, call.arguments, RAN).await;
        let is_right = match verdict.as_str() {
            "" => output == RAN,
            sink => output.contains(&format!("data_flow/{sink}: ")),
        };
        if !is_right {
            wrong.push(format!("{name}: `{verdict}` expected, and the output is: {output}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_configuration_of_the_flows_is_valid() {
    assert!(DataFlow::new(config::from_toml(CONFIGURATION).unwrap()).is_ok());
}
