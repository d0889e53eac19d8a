//! The examples of the document that describes the language.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

use std::path::Path;

use exo_rails_dygram::{Machine, NodeKind, Reading, read};

/// The text of an example, with the name that the document gives it.
struct Example {
    name: String,
    text: String,
}

/// Returns the examples of the document, or `None` if it is not here.
fn examples() -> Option<Vec<Example>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/seeds");
    let files = folder.read_dir().ok()?;
    let path = files.filter_map(Result::ok).find(|file| file.file_name().to_string_lossy().starts_with("003_"))?.path();
    let document = std::fs::read_to_string(path).ok()?;
    let mut examples = Vec::new();
    let mut parts = document.split("```");
    // Every second part is in a fence.
    while let Some(part) = parts.nth(1) {
        let (head, text) = part.split_once('\n').unwrap_or((part, ""));
        if head.ends_with(".dygram") {
            let name = head.rsplit('/').next().unwrap_or(head).trim_end_matches(".dygram").to_owned();
            examples.push(Example { name, text: text.to_owned() });
        }
    }
    Some(examples)
}

fn reading_of(name: &str) -> Option<Reading> {
    let Some(examples) = examples() else {
        eprintln!("skipped: the document of the examples is not in ../shared/seeds");
        return None;
    };
    let example = examples.iter().find(|example| example.name == name).expect("the document has the example");
    Some(read(&example.name, &example.text))
}

fn codes(reading: &Reading) -> Vec<&'static str> {
    reading.report.diagnostics().iter().map(|found| found.code).collect()
}

fn edges(machine: &Machine) -> Vec<String> {
    let edge = |edge: &exo_rails_dygram::Edge| {
        format!("{} {}", machine.path(edge.source.node), machine.path(edge.target.node))
    };
    machine.edges().iter().map(edge).collect()
}

#[test]
fn every_example_can_be_used() {
    let Some(examples) = examples() else {
        eprintln!("skipped: the document of the examples is not in ../shared/seeds");
        return;
    };
    let names: Vec<_> = examples.iter().map(|example| &*example.name).collect();
    assert_eq!(
        names,
        [
            "auto-transition",
            "agent-controlled",
            "permissions",
            "basic",
            "permissions-model",
            "self-improving-pipeline",
            "parallel-execution",
            "distributed-execution"
        ]
    );
    for example in &examples {
        let reading = read(&example.name, &example.text);
        assert!(!reading.report.has_errors(), "{}:\n{}", example.name, reading.report);
        let printed = reading.machine.to_string();
        assert_eq!(read("printed", &printed).machine, reading.machine, "{printed}");
        let formatted = exo_rails_dygram::format(&example.name, &example.text).expect("the example has no mistake");
        assert_eq!(read("formatted", &formatted).machine, reading.machine, "{formatted}");
    }
}

#[test]
fn the_example_has_automatic_and_conditional_transitions() {
    let Some(reading) = reading_of("auto-transition") else { return };
    let machine = &reading.machine;
    let [auto, conditional] = machine.edges() else { panic!("{machine}") };
    assert!(auto.is_auto() && auto.condition().is_none());
    assert_eq!(conditional.condition().map(|condition| condition.text), Some("errorCount > 3"));
    // `processing` has no way out if there are fewer errors, and the document declares no `error`.
    assert_eq!(codes(&reading), ["no-fallback", "unknown-node"]);
}

#[test]
fn one_statement_makes_an_edge_to_each_target() {
    let Some(reading) = reading_of("agent-controlled") else { return };
    assert_eq!(edges(&reading.machine), ["analyze summarize", "analyze retry", "analyze abort"]);
    assert_eq!(codes(&reading), ["unknown-node", "unknown-node", "unknown-node"]);
}

#[test]
fn edges_give_nodes_permissions_for_contexts_and_fields() {
    let Some(reading) = reading_of("permissions-model") else { return };
    let machine = &reading.machine;
    let rights = |path: &str| {
        let access = machine.access(machine.find(path).expect("an edge names the node"));
        let rights = |access: &exo_rails_dygram::Access| {
            let fields = ["connection", "field1", "field2", "field3"];
            let list = |of: &exo_rails_dygram::Fields| fields.map(|field| if of.contains(field) { 'x' } else { '-' });
            let text = list(&access.reads).into_iter().chain([' ']).chain(list(&access.writes)).collect::<String>();
            format!("{} {text}", machine.path(access.context))
        };
        access.iter().map(rights).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(rights("query"), "database xxxx ----");
    assert_eq!(rights("update"), "database xxxx xxxx");
    assert_eq!(rights("store"), "database ---- xxxx");
    assert_eq!(rights("task"), "context -xxx -xx-");
}

#[test]
fn an_edge_with_a_permission_declares_its_context() {
    let Some(reading) = reading_of("permissions") else { return };
    let kind = |path| reading.machine.find(path).map(|id| reading.machine.kind(id));
    assert_eq!(kind("input"), Some(NodeKind::Context));
    assert_eq!(kind("metrics"), Some(NodeKind::Context));
}

#[test]
fn the_pipeline_begins_at_its_first_state() {
    let Some(reading) = reading_of("self-improving-pipeline") else { return };
    let machine = &reading.machine;
    assert_eq!(machine.title.as_deref(), Some("Self-Improving Data Pipeline"));
    assert_eq!((machine.nodes().len(), machine.edges().len()), (10, 14));
    let starts: Vec<_> = machine.starts().into_iter().map(|id| machine.path(id)).collect();
    assert_eq!(starts, ["idle"]);
    let meta: Vec<_> = machine.nodes().iter().filter(|node| node.is_meta()).map(|node| &*node.name).collect();
    assert_eq!(meta, ["process", "optimize"]);
    // `processing` and `optimize` have no edges. `metrics` is a field of `output`, which `optimizing` may read.
    assert_eq!(codes(&reading), ["unreachable", "unreachable"]);
}
