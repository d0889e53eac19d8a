//! Facts that the tests of another executor of this language show, as tables.
//!
//! Where a row differs from that executor, a comment says what it does there.

mod agent_conversations;
mod agent_prompt;
mod async_edges;
mod cel;
mod context_inheritance;
mod edge_conditions;
mod graph_validation;
mod state_modules;
mod task_prompts;
mod tool_registry;

use exo_rails_machine::{Condition, Contexts, Facts};

/// Reads the condition of the last edge of a file, and evaluates it at the source of the edge after some errors.
fn met(file: &str, errors: usize) -> Result<bool, String> {
    let machine = exo_rails_dygram::read("flow.dygram", file).machine;
    let edge = machine.edges().last().unwrap();
    let source = edge.source.node;
    let condition = Condition::of(&machine, source, edge).map_err(|error| error.to_string())?.expect("a condition");
    let errors: Vec<_> = (0..errors).map(|number| format!("error {number}")).collect();
    let facts = Facts { errors: &errors, node: machine.path(source), item: None };
    condition.is_met(&Contexts::first(&machine), &facts).map_err(|error| error.to_string())
}
