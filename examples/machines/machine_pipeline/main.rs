//! A pipeline that improves its own tools, as a machine: first from a file, and then in Rust.
//!
//! The agent constructs a tool, finds it too weak, improves it and uses it again. The model is a script:
//!
//! ```console
//! $ cargo run -p examples-machines --example machine_pipeline
//! ```
//!
//! The program `exo-rails` runs the same file:
//!
//! ```console
//! $ exo-rails machine exec examples/machines/machine_pipeline/pipeline.dygram --script examples/machines/machine_pipeline/script.json --until complete
//! ```

mod typed;

use std::error::Error;
use std::path::PathBuf;

use exo_rails_agent::ScriptedModel;
use exo_rails_dygram::{Directory, Reader};
use exo_rails_machine::{Definition, Done, Executor, Node, TransitionType};

const REVIEWS: [&str; 3] = ["Great tea.", "It broke.", "Not bad at all."];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("pipeline.dygram");
    show(&run(from_file()?, "script.json", "complete").await?);

    println!("\ntyped.rs");
    show(&run(typed::pipeline(&REVIEWS), "typed.json", typed::pipeline::Complete::PATH).await?);
    Ok(())
}

/// Reads the file. It is lenient: it has nodes to which no edge leads, and only warnings say so.
fn from_file() -> Result<Definition, Box<dyn Error>> {
    let directory = Directory::new(folder());
    let reading = Reader::new().with_loader(&directory).read_file("pipeline.dygram")?;
    for warning in reading.report.diagnostics() {
        println!("  warning: {}", warning.message);
    }
    Ok(reading.into_result()?.into())
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("machine_pipeline")
}

/// Runs the machine until it is complete for the first time. It has no end: `complete` leads back to its beginning.
async fn run(machine: Definition, script: &str, until: &str) -> Result<Done, Box<dyn Error>> {
    let model = ScriptedModel::from_file(folder().join(script))?;
    let executor = Executor::builder(machine, model).until(until, 1).build()?;
    let mut execution = executor.start();
    execution.change_contexts(|contexts| contexts.set("input", "data", REVIEWS.to_vec()));
    Ok(execution.run().await?)
}

/// Prints the steps, the changes of tools, and the quality.
fn show(done: &Done) {
    for step in &done.history.steps {
        let by = match (step.transition_type, &step.reason) {
            (TransitionType::AgentControlled, Some(reason)) => format!(" (agent: {reason})"),
            (TransitionType::AgentControlled, None) => " (agent)".to_owned(),
            (TransitionType::Automated, _) => String::new(),
        };
        let next = step.next_nodes.join(", ");
        println!("  {} -> {}{by}", step.current_node, if next.is_empty() { "the end" } else { &next });
        for mutation in &step.mutations {
            println!("    {}", mutation.kind);
        }
        for written in step.writes.iter().filter(|written| written.field == "metrics") {
            println!("    quality {}", written.after["quality"]);
        }
    }
    let summary = &done.history.summary;
    let (steps, constructed, improved) =
        (summary.total_steps, summary.tools_constructed, summary.tool_improvements_proposed);
    println!(
        "  ended at {}: {steps} steps, {constructed} tool constructed, {improved} improved",
        done.ended_at.join(", ")
    );
}
