//! The same machine in Rust.
//!
//! `machine!` is strict, so these things differ from the file:
//!
//! - The state `processing` is left out, because no edge leads to it.
//! - `Optimizing` is the task that the file declares as `optimize` and never uses. So the agent may improve tools there, and the
//!   edge to `Complete` is `@auto`: without a prompt, a condition alone decides.
//! - `Ingest` reads only the field that it needs, and the condition reads the quality by its type.

use exo_rails_machine::{Definition, machine};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Serialize, Deserialize)]
struct Input {
    data: Vec<String>,
    format: String,
}

#[derive(Serialize, Deserialize)]
struct Output {
    processed: Vec<Value>,
    metrics: Metrics,
}

#[derive(Serialize, Deserialize)]
struct Metrics {
    quality: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Registry {
    custom_tools: Vec<String>,
}

machine! {
    /// Processes data, and improves its own tools.
    pub(crate) machine Pipeline "Self-Improving Data Pipeline" {
        context input: Input;
        context output: Output;
        context registry: Registry;

        init Idle {
            -> Ingest @auto;
        }
        task Ingest {
            prompt: "Load data from input context";
            reads input { data };
            -> Process;
        }
        task Process {
            prompt: "Process the data. If no suitable tool exists, construct one.";
            meta;
            reads input;
            writes output;
            writes registry;
            -> Optimizing;
            -> Complete;
        }
        task Optimizing {
            prompt: "Review the tools used. Can they be improved?";
            meta;
            reads output;
            writes registry;
            -> Complete @auto when output.metrics.quality > 0.9;
            -> Process;
        }
        state Complete {
            -> Idle @auto;
        }
    }
}

/// Returns the machine with its first values.
pub(crate) fn pipeline(reviews: &[&str]) -> Definition {
    let data = reviews.iter().map(|review| (*review).to_owned()).collect();
    Pipeline::machine(
        Input { data, format: "json".to_owned() },
        Output { processed: Vec::new(), metrics: Metrics { quality: 0.0 } },
        Registry { custom_tools: Vec::new() },
    )
}
