//! What has happened, in order, and assertions on it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::context::{RailContext, StopKind, StoppedBy};
use crate::message::{Messages, StreamPiece, ToolCallInputs};
use crate::operation::Tool;
use crate::point::HookPoint;
use crate::testing::shown;

/// What has happened, in order: events and what the rails decided, tools that ran, what the model was told.
///
/// A clone is another handle to the same trace. It is printed whole by each assertion that does not hold, and by
/// `println!("{trace}")`:
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::testing;
///
/// #[rail(priority = 20, on = [PreToolCall])]
/// fn shorten(call: &mut ToolCallInputs) -> Verdict {
///     Verdict::abort_if(!call.set_argument("limit", 3), "the arguments have no names")
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let script = r#"[{ "call": [{ "tool": "search" }] }, { "say": "There are three." }]"#;
/// let run = exo_rails_agent::testing::run(rail_chain![shorten], script).input("Any orders?").tool("search", "three orders").await;
/// assert_eq!(run.trace.to_string(), r#"
///   1  start              continue
///   2  context_assembled  continue
///   3  pre_llm_call       continue
///      the model is told:
///        user: "Any orders?"
///   4  llm_chunk          continue
///   5  post_llm_call      continue
///   6  pre_tool_call      `search`: continue
///      changed arguments.limit: null -> 3
///      `search` runs with {"limit":3}
///   7  post_tool_call     `search`: continue
///   8  pre_llm_call       step 1: continue
///      the model is told, after 1 message as before:
///        assistant: "", calls `search` with {}
///        tool: "three orders"
///   9  llm_chunk          step 1: continue
///  10  post_llm_call      step 1: continue
///  11  finished           continue
/// it ended with: "There are three."
/// "#.trim_start_matches('\n'));
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Trace(Arc<Mutex<Log>>);

#[derive(Clone, Default)]
struct Log {
    entries: Vec<TraceEntry>,
    /// The tools that are watched.
    tools: BTreeSet<String>,
    /// Whether a model is watched.
    has_model: bool,
    /// Why nothing could happen at all.
    unusable: Option<String>,
    ended: Option<String>,
}

/// One thing that has happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TraceEntry {
    /// An event.
    Fired(TracedEvent),
    /// The model was asked, and told these messages.
    ModelAsked(Messages),
    /// A tool ran, with this call.
    ToolRan(ToolCallInputs),
    /// A piece of a streamed answer arrived. It stands where it was taken from the stream, in which some pieces wait.
    Streamed(StreamPiece),
    /// A note of the program that runs the test: see [`Trace::note`].
    Noted(String),
}

/// One event, and what its rails made of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TracedEvent {
    /// Which it is.
    pub point: HookPoint,
    /// The [step](RailContext::step) of the run.
    pub step: u32,
    /// The [attempt](RailContext::attempt) of the operation.
    pub attempt: u32,
    /// The tool that it is about, when it is about one.
    pub tool: Option<String>,
    /// Whether its rails have come to an end: not when the run was dropped meanwhile.
    pub has_ended: bool,
    /// How a rail stopped it; `None` when all continued.
    pub stopped: Option<StoppedBy>,
    /// What the rails have changed of the payload, each place as `path: before -> after`, in JSON.
    pub changes: Vec<String>,
}

impl TracedEvent {
    pub(super) fn new(point: HookPoint, tool: Option<String>, ctx: &RailContext) -> Self {
        let (step, attempt) = (ctx.step(), ctx.attempt());
        Self { point, step, attempt, tool, has_ended: false, stopped: None, changes: Vec::new() }
    }
}

/// Writing.
impl Trace {
    /// The same tool, watched: the trace has each call of it that runs.
    pub fn tool(&self, tool: impl Into<Tool>) -> Tool {
        let (tool, trace) = (tool.into(), self.clone());
        let spec = tool.spec().function.clone();
        self.watch_tool(tool.name());
        Tool::with_permit(spec.name, spec.description, spec.parameters, move |call| {
            trace.tool_ran(&call);
            tool.call(call)
        })
    }

    /// Watches the tool of this name: [`tool_ran`](Self::tool_ran) is called whenever it runs.
    pub fn watch_tool(&self, name: &str) {
        self.lock().tools.insert(name.to_owned());
    }

    /// Watches a model: [`model_asked`](Self::model_asked) is called whenever it is asked.
    pub fn watch_model(&self) {
        self.lock().has_model = true;
    }

    /// Writes down that an event begins; returns its place, for its end.
    pub(super) fn begin(&self, event: TracedEvent) -> usize {
        let mut log = self.lock();
        log.entries.push(TraceEntry::Fired(event));
        log.entries.len() - 1
    }

    pub(super) fn end(&self, place: usize, stopped: Option<StoppedBy>, changes: Vec<String>) {
        if let Some(TraceEntry::Fired(event)) = self.lock().entries.get_mut(place) {
            (event.has_ended, event.stopped, event.changes) = (true, stopped, changes);
        }
    }

    /// Writes down that the model was asked, and with which messages.
    pub fn model_asked(&self, messages: &Messages) {
        self.lock().entries.push(TraceEntry::ModelAsked(messages.clone()));
    }

    /// Writes down that a tool ran, with this call.
    pub fn tool_ran(&self, call: &ToolCallInputs) {
        self.lock().entries.push(TraceEntry::ToolRan(call.clone()));
    }

    /// Writes down a piece of a streamed answer.
    pub fn streamed(&self, piece: StreamPiece) {
        self.lock().entries.push(TraceEntry::Streamed(piece));
    }

    pub(super) fn ended(&self, how: String) {
        self.lock().ended = Some(how);
    }

    /// Writes down something else that a reader of the trace should see.
    pub fn note(&self, note: impl Into<String>) {
        self.lock().entries.push(TraceEntry::Noted(note.into()));
    }

    /// Writes down why nothing could be run: each assertion then panics with it.
    pub fn unusable(&self, why: String) {
        self.lock().unusable = Some(why);
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reading.
impl Trace {
    /// Everything that has happened so far, in order; events stand where they began.
    #[must_use]
    pub fn entries(&self) -> Vec<TraceEntry> {
        self.lock().entries.clone()
    }

    /// The events.
    #[must_use]
    pub fn events(&self) -> Vec<TracedEvent> {
        self.picked(|entry| match entry {
            TraceEntry::Fired(event) => Some(event),
            _ => None,
        })
    }

    /// The calls of this tool that ran, as the rails had left them.
    #[must_use]
    pub fn calls(&self, tool: &str) -> Vec<ToolCallInputs> {
        self.picked(|entry| match entry {
            TraceEntry::ToolRan(call) if call.tool_name == tool => Some(call),
            _ => None,
        })
    }

    /// What the model was told, each time that it was asked.
    #[must_use]
    pub fn requests(&self) -> Vec<Messages> {
        self.picked(|entry| match entry {
            TraceEntry::ModelAsked(messages) => Some(messages),
            _ => None,
        })
    }

    /// What a streamed run told.
    #[must_use]
    pub fn stream(&self) -> Vec<StreamPiece> {
        self.picked(|entry| match entry {
            TraceEntry::Streamed(event) => Some(event),
            _ => None,
        })
    }

    fn picked<T>(&self, pick: impl FnMut(TraceEntry) -> Option<T>) -> Vec<T> {
        self.entries().into_iter().filter_map(pick).collect()
    }

    fn was_told(&self, text: &str) -> bool {
        self.requests().iter().flatten().any(|message| message.text().contains(text))
    }
}

/// Assertions. Each panics when it does not hold, with the whole trace.
#[expect(clippy::must_use_candidate, reason = "an assertion returns itself to be chained")]
impl Trace {
    /// Asserts that these events happened, in this order, and no others.
    ///
    /// # Panics
    /// When it is otherwise.
    #[track_caller]
    pub fn assert_events(&self, events: impl IntoIterator<Item = HookPoint>) -> &Self {
        let expected: Vec<_> = events.into_iter().collect();
        let happened: Vec<_> = self.events().iter().map(|event| event.point).collect();
        let first = expected.iter().zip(&happened).position(|(one, other)| one != other);
        let at = first.unwrap_or(expected.len().min(happened.len()));
        let name = |points: &[HookPoint]| points.get(at).map_or("the end", |point| point.name());
        self.hold(expected == happened, || {
            format!("expected {} as event {}, not {}", name(&expected), at + 1, name(&happened))
        })
    }

    /// Asserts how often an event happened.
    ///
    /// # Panics
    /// When it happened more or less often.
    #[track_caller]
    pub fn assert_fired(&self, point: HookPoint, times: usize) -> &Self {
        let fired = self.events().iter().filter(|event| event.point == point).count();
        self.hold(fired == times, || format!("expected {point} {}, not {fired}", shown::times(times)))
    }

    /// Asserts that rails stopped events in these ways, in this order, and in no others: what is not named has
    /// continued.
    ///
    /// # Panics
    /// When it is otherwise.
    #[track_caller]
    pub fn assert_decisions<'n>(&self, decisions: impl IntoIterator<Item = (HookPoint, StopKind, &'n str)>) -> &Self {
        let line = |(point, how, by): (HookPoint, StopKind, &str)| format!("{point}: {} by `{by}`", shown::stop(how));
        let expected: Vec<_> = decisions.into_iter().map(line).collect();
        let events = self.events();
        let stopped = events.iter().filter_map(|event| event.stopped.as_ref().map(|stopped| (event.point, stopped)));
        let taken: Vec<_> = stopped.map(|(point, stopped)| line((point, stopped.how, &stopped.rail_name))).collect();
        self.hold(expected == taken, || format!("expected the decisions\n  {expected:?}, not\n  {taken:?}"))
    }

    /// Asserts that the rails of an event changed its payload at this place: `arguments.limit`, `messages[0].content`.
    ///
    /// # Panics
    /// When they did not.
    #[track_caller]
    pub fn assert_changed(&self, point: HookPoint, path: &str) -> &Self {
        let is_there = |change: &String| {
            let rest = change.strip_prefix(path);
            rest.is_some_and(|rest| rest.starts_with([':', '.', '[']))
        };
        let changed = self.events().iter().any(|event| event.point == point && event.changes.iter().any(is_there));
        self.hold(changed, || format!("expected a change of `{path}` at {point}"))
    }

    /// Asserts that no rail changed anything.
    ///
    /// # Panics
    /// When one did.
    #[track_caller]
    pub fn assert_unchanged(&self) -> &Self {
        let changed = self.events().into_iter().find(|event| !event.changes.is_empty());
        self.hold(changed.is_none(), || {
            let event = changed.map(|event| format!("{}: {}", event.point, event.changes.join(", ")));
            format!("expected no change, but at {}", event.unwrap_or_default())
        })
    }

    /// Asserts how often a tool ran: not how often it was asked for.
    ///
    /// # Panics
    /// When it ran more or less often, and when no tool of this name is watched.
    #[track_caller]
    pub fn assert_calls(&self, tool: &str, times: usize) -> &Self {
        let calls = self.watched(tool);
        self.hold(calls.len() == times, || {
            format!("expected `{tool}` to run {}, not {}", shown::times(times), calls.len())
        })
    }

    /// Asserts that a tool ran with these arguments, and no others beside them.
    ///
    /// # Panics
    /// When it did not, and when no tool of this name is watched.
    #[track_caller]
    pub fn assert_called_with(&self, tool: &str, arguments: &Value) -> &Self {
        let calls = self.watched(tool);
        self.hold(calls.iter().any(|call| call.arguments == *arguments), || {
            format!("expected `{tool}` to run with {arguments}")
        })
    }

    /// Asserts that the model was told a message with this text in it.
    ///
    /// # Panics
    /// When it was not.
    #[track_caller]
    pub fn assert_told(&self, text: &str) -> &Self {
        self.with_model().hold(self.was_told(text), || format!("expected that the model is told {text:?}"))
    }

    /// Asserts that the model was never told a message with this text in it.
    ///
    /// # Panics
    /// When it was, and when no model is watched.
    #[track_caller]
    pub fn assert_not_told(&self, text: &str) -> &Self {
        self.with_model().hold(!self.was_told(text), || format!("expected that the model is not told {text:?}"))
    }

    /// Asserts that the text of a streamed run came in these pieces. What is taken back counts too: see
    /// [`stream`](Self::stream) for all that it told.
    ///
    /// # Panics
    /// When it came otherwise.
    #[track_caller]
    pub fn assert_streamed<'p>(&self, pieces: impl IntoIterator<Item = &'p str>) -> &Self {
        let expected: Vec<_> = pieces.into_iter().map(ToOwned::to_owned).collect();
        let text = |piece| if let StreamPiece::Text(text) = piece { Some(text) } else { None };
        let came: Vec<_> = self.stream().into_iter().filter_map(text).collect();
        self.hold(expected == came, || format!("expected the pieces\n  {expected:?}, not\n  {came:?}"))
    }

    /// The calls of a tool; not of one that nobody watches, because that none of it ran would mean nothing.
    #[track_caller]
    fn watched(&self, tool: &str) -> Vec<ToolCallInputs> {
        let (calls, names) = (self.calls(tool), self.lock().tools.clone());
        self.hold(!calls.is_empty() || names.contains(tool), || {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            format!(
                "no tool `{tool}` is watched, but {}",
                if names.is_empty() { "none".into() } else { names.join(", ") }
            )
        });
        calls
    }

    #[track_caller]
    fn with_model(&self) -> &Self {
        let has_model = self.lock().has_model;
        self.hold(has_model, || "no model is watched".to_owned())
    }

    /// Panics with the whole trace when something does not hold, or when nothing could happen.
    #[track_caller]
    pub(super) fn hold(&self, holds: bool, expected: impl FnOnce() -> String) -> &Self {
        let unusable = self.lock().unusable.clone();
        assert!(unusable.is_none(), "nothing could be run: {}", unusable.unwrap_or_default());
        assert!(holds, "{}\n\n{self}", expected());
        self
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Log { entries, unusable, ended, .. } = self.lock().clone();
        shown::entries(f, &entries)?;
        match (unusable, ended) {
            (Some(why), _) => writeln!(f, "nothing could be run: {why}"),
            (None, Some(how)) => writeln!(f, "it ended with: {how}"),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Trace").field(&self.entries()).finish()
    }
}
