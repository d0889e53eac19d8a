//! The record of a test, in order, and assertions about it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::context::{StopKind, StoppedBy};
use crate::message::{Messages, StreamPiece, ToolCallInputs};
use crate::operation::Tool;
use crate::point::HookPoint;
use crate::testing::shown;
use crate::testing::trace_entry::{TraceEntry, TracedEvent};

/// The record of a test, in order: the events and the decisions of their rails, the tools that ran, and the messages that
/// the model read.
///
/// A clone refers to the same trace. A failed assertion prints the whole trace, and so does `println!("{trace}")`:
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
///      the model reads:
///        user: "Any orders?"
///   4  llm_chunk          continue
///   5  post_llm_call      continue
///   6  pre_tool_call      `search`: continue
///      changed arguments.limit: null -> 3
///      `search` runs with {"limit":3}
///   7  post_tool_call     `search`: continue
///   8  pre_llm_call       step 1: continue
///      the model reads, after 1 message as before:
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
    /// The names of the watched tools.
    tools: BTreeSet<String>,
    /// Whether the trace watches a model.
    has_model: bool,
    /// Why the test could not run anything.
    unusable: Option<String>,
    ended: Option<String>,
}

/// Methods that write the trace.
impl Trace {
    /// Wraps a tool, so that the trace records each call of the tool that runs.
    pub fn tool(&self, tool: impl Into<Tool>) -> Tool {
        let (tool, trace) = (tool.into(), self.clone());
        let spec = tool.spec().function.clone();
        self.watch_tool(tool.name());
        Tool::with_permit(spec.name, spec.description, spec.parameters, move |call| {
            trace.tool_ran(&call);
            tool.call(call)
        })
    }

    /// Declares that the test watches the tool of this name: the caller then calls [`tool_ran`](Self::tool_ran) whenever
    /// the tool runs.
    pub fn watch_tool(&self, name: &str) {
        self.lock().tools.insert(name.to_owned());
    }

    /// Declares that the test watches a model: the caller then calls [`model_asked`](Self::model_asked) whenever it calls
    /// the model.
    pub fn watch_model(&self) {
        self.lock().has_model = true;
    }

    /// Records that an event begins. Returns the index of the entry, for [`end`](Self::end).
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

    /// Records that the model was called with these messages.
    pub fn model_asked(&self, messages: &Messages) {
        self.lock().entries.push(TraceEntry::ModelAsked(messages.clone()));
    }

    /// Records that a tool ran with this call.
    pub fn tool_ran(&self, call: &ToolCallInputs) {
        self.lock().entries.push(TraceEntry::ToolRan(call.clone()));
    }

    /// Records a piece of a streamed answer.
    pub fn streamed(&self, piece: StreamPiece) {
        self.lock().entries.push(TraceEntry::Streamed(piece));
    }

    pub(super) fn ended(&self, how: String) {
        self.lock().ended = Some(how);
    }

    /// Records a note for the reader of the trace.
    pub fn note(&self, note: impl Into<String>) {
        self.lock().entries.push(TraceEntry::Noted(note.into()));
    }

    /// Records why the test could not run anything. Each assertion then panics with this text.
    pub fn unusable(&self, why: String) {
        self.lock().unusable = Some(why);
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Methods that read the trace.
impl Trace {
    /// Returns all entries so far, in order. The position of an event is the moment when it began.
    #[must_use]
    pub fn entries(&self) -> Vec<TraceEntry> {
        self.lock().entries.clone()
    }

    /// Returns the events.
    #[must_use]
    pub fn events(&self) -> Vec<TracedEvent> {
        self.picked(|entry| match entry {
            TraceEntry::Fired(event) => Some(event),
            _ => None,
        })
    }

    /// Returns the calls of this tool that ran, with the changes of the rails.
    #[must_use]
    pub fn calls(&self, tool: &str) -> Vec<ToolCallInputs> {
        self.picked(|entry| match entry {
            TraceEntry::ToolRan(call) if call.tool_name == tool => Some(call),
            _ => None,
        })
    }

    /// Returns the messages of each request to the model.
    #[must_use]
    pub fn requests(&self) -> Vec<Messages> {
        self.picked(|entry| match entry {
            TraceEntry::ModelAsked(messages) => Some(messages),
            _ => None,
        })
    }

    /// Returns the pieces of a streamed run.
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

/// Assertions. A failed assertion panics with the whole trace.
#[expect(clippy::must_use_candidate, reason = "an assertion returns itself to be chained")]
impl Trace {
    /// Asserts that exactly these events fired, in this order.
    ///
    /// # Panics
    /// Panics if the events or their order differ.
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

    /// Asserts how many times an event fired.
    ///
    /// # Panics
    /// Panics if the number differs.
    #[track_caller]
    pub fn assert_fired(&self, point: HookPoint, times: usize) -> &Self {
        let fired = self.events().iter().filter(|event| event.point == point).count();
        self.hold(fired == times, || format!("expected {point} {}, not {fired}", shown::times(times)))
    }

    /// Asserts that exactly these rails stopped an event, in this way and in this order. The list leaves out the events at
    /// which every rail continued.
    ///
    /// # Panics
    /// Panics if the decisions or their order differ.
    #[track_caller]
    pub fn assert_decisions<'n>(&self, decisions: impl IntoIterator<Item = (HookPoint, StopKind, &'n str)>) -> &Self {
        let line = |(point, how, by): (HookPoint, StopKind, &str)| format!("{point}: {} by `{by}`", shown::stop(how));
        let expected: Vec<_> = decisions.into_iter().map(line).collect();
        let events = self.events();
        let stopped = events.iter().filter_map(|event| event.stopped.as_ref().map(|stopped| (event.point, stopped)));
        let taken: Vec<_> = stopped.map(|(point, stopped)| line((point, stopped.how, &stopped.rail_name))).collect();
        self.hold(expected == taken, || format!("expected the decisions\n  {expected:?}, not\n  {taken:?}"))
    }

    /// Asserts that the rails of an event changed its payload at this path, such as `arguments.limit` or
    /// `messages[0].content`.
    ///
    /// # Panics
    /// Panics if the rails did not change the payload there.
    #[track_caller]
    pub fn assert_changed(&self, point: HookPoint, path: &str) -> &Self {
        let is_there = |change: &String| {
            let rest = change.strip_prefix(path);
            rest.is_some_and(|rest| rest.starts_with([':', '.', '[']))
        };
        let changed = self.events().iter().any(|event| event.point == point && event.changes.iter().any(is_there));
        self.hold(changed, || format!("expected a change of `{path}` at {point}"))
    }

    /// Asserts that no rail changed a payload.
    ///
    /// # Panics
    /// Panics if a rail changed a payload.
    #[track_caller]
    pub fn assert_unchanged(&self) -> &Self {
        let changed = self.events().into_iter().find(|event| !event.changes.is_empty());
        self.hold(changed.is_none(), || {
            let event = changed.map(|event| format!("{}: {}", event.point, event.changes.join(", ")));
            format!("expected no change, but at {}", event.unwrap_or_default())
        })
    }

    /// Asserts how many times a tool ran. Calls that did not run do not count.
    ///
    /// # Panics
    /// Panics if the number differs, or if the trace does not watch a tool of this name.
    #[track_caller]
    pub fn assert_calls(&self, tool: &str, times: usize) -> &Self {
        let calls = self.watched(tool);
        self.hold(calls.len() == times, || {
            format!("expected `{tool}` to run {}, not {}", shown::times(times), calls.len())
        })
    }

    /// Asserts that a tool ran with exactly these arguments.
    ///
    /// # Panics
    /// Panics if the tool did not run with these arguments, or if the trace does not watch a tool of this name.
    #[track_caller]
    pub fn assert_called_with(&self, tool: &str, arguments: &Value) -> &Self {
        let calls = self.watched(tool);
        self.hold(calls.iter().any(|call| call.arguments == *arguments), || {
            format!("expected `{tool}` to run with {arguments}")
        })
    }

    /// Asserts that the model read a message that contains this text.
    ///
    /// # Panics
    /// Panics if no message to the model contains the text, or if the trace does not watch a model.
    #[track_caller]
    pub fn assert_told(&self, text: &str) -> &Self {
        self.with_model().hold(self.was_told(text), || format!("expected that the model reads {text:?}"))
    }

    /// Asserts that the model never read a message that contains this text.
    ///
    /// # Panics
    /// Panics if a message to the model contains the text, or if the trace does not watch a model.
    #[track_caller]
    pub fn assert_not_told(&self, text: &str) -> &Self {
        self.with_model().hold(!self.was_told(text), || format!("expected that the model does not read {text:?}"))
    }

    /// Asserts that the text of a streamed run arrived in exactly these pieces. Text that the stream later takes back
    /// counts too. [`stream`](Self::stream) returns all pieces.
    ///
    /// # Panics
    /// Panics if the pieces differ.
    #[track_caller]
    pub fn assert_streamed<'p>(&self, pieces: impl IntoIterator<Item = &'p str>) -> &Self {
        let expected: Vec<_> = pieces.into_iter().map(ToOwned::to_owned).collect();
        let text = |piece| if let StreamPiece::Text(text) = piece { Some(text) } else { None };
        let came: Vec<_> = self.stream().into_iter().filter_map(text).collect();
        self.hold(expected == came, || format!("expected the pieces\n  {expected:?}, not\n  {came:?}"))
    }

    /// Returns the calls of a tool. Panics if the trace does not watch the tool, because a count of 0 would then mean
    /// nothing.
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

    /// Panics with the whole trace if `holds` is false, or if the test could not run anything.
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
