//! What the page shows besides the log.

use exo_rails_dygram::Machine;
use exo_rails_guards::approval::visible;
use exo_rails_machine::{MachineState, PathQuestion, Status, Summary, svg};
use serde::Serialize;
use serde_json::{Map, Value};

/// How the execution stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stands {
    /// It has not begun.
    Ready,
    /// It takes steps now.
    Running,
    /// It stopped between two steps.
    Paused,
    /// It waits for a person.
    Waits,
    /// It has ended.
    Completed,
    /// It failed.
    Error,
}

/// Something that a person must decide.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Wait {
    /// A guard asks for an approval.
    Question { id: String, text: String },
    /// It is unknown whether a call has happened.
    Call { tool: String },
}

/// The settings of the page. The page never gets the key of the model.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownSettings {
    pub(super) model: String,
    pub(super) has_key: bool,
    pub(super) is_scripted: bool,
}

/// What the page shows.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Snapshot {
    title: String,
    status: Stands,
    current: Vec<String>,
    contexts: Map<String, Value>,
    summary: Summary,
    drawing: String,
    waits: Vec<Wait>,
    settings: ShownSettings,
}

impl Snapshot {
    pub(super) fn new(
        machine: &Machine,
        state: Option<&mut MachineState>,
        is_running: bool,
        settings: ShownSettings,
    ) -> Self {
        let title = machine.title.clone().unwrap_or_else(|| "machine".to_owned());
        let Some(state) = state else {
            let drawing = svg(machine, None);
            let (current, waits, summary) = (Vec::new(), Vec::new(), Summary::default());
            let status = if is_running { Stands::Running } else { Stands::Ready };
            return Self { title, status, current, contexts: Map::new(), summary, drawing, waits, settings };
        };
        let waits = if is_running { Vec::new() } else { waits(state) };
        let status = match state.status() {
            _ if is_running => Stands::Running,
            Status::Completed => Stands::Completed,
            Status::Error => Stands::Error,
            _ if !waits.is_empty() => Stands::Waits,
            _ => Stands::Paused,
        };
        // An agent may have changed the machine.
        let changed = exo_rails_dygram::read("machine", state.definition()).machine;
        Self {
            title,
            status,
            current: state.nodes().map(str::to_owned).collect(),
            contexts: contexts(&changed, state),
            summary: state.history().summary.clone(),
            drawing: svg(&changed, Some(state.history())),
            waits,
            settings,
        }
    }
}

fn contexts(machine: &Machine, state: &MachineState) -> Map<String, Value> {
    let named = machine.ids().map(|id| machine.path(id));
    let fields = named.filter_map(|path| Some((path.to_owned(), state.contexts().fields(path)?.clone().into())));
    fields.collect()
}

fn waits(state: &mut MachineState) -> Vec<Wait> {
    let question = |asked: PathQuestion<'_>| Wait::Question {
        text: visible(asked.open.question.text.as_str()).into_owned(),
        id: asked.id,
    };
    let mut waits: Vec<_> = state.questions().map(question).collect();
    for run in state.suspended_runs() {
        waits.extend(
            run.unknown_calls().map(|(_, call)| Wait::Call { tool: visible(&call.function.name).into_owned() }),
        );
    }
    waits
}
