//! The structure of the tool calls in an answer.

use std::collections::HashSet;
use std::fmt::Write;

use exo_rails::message::{ToolCall, ToolSpec};
use exo_rails::prelude::*;
pub use exo_rails_policy::structure::StructureConfig;
use exo_rails_policy::{ConfigError, Severity};
use serde_json::{Map, Value};

use crate::config::makes;
use crate::finding::{Finding, Place};
use crate::kit_guard::needs_only_its_configuration;
use crate::shape::feedback::ask_again;
use crate::shape::names::nearest_names;

const GUARD: &str = "structure";

/// The number of mistakes that the model reads at once.
const MAX_MISTAKES: usize = 10;

/// The finish reasons that announce tool calls, in the words of different providers.
const ANNOUNCE_CALLS: [&str; 3] = ["tool_calls", "tool_use", "function_call"];

/// Checks the tool calls of an answer before any of them runs:
///
/// - The name is the name of a tool of the request. If the request has no tools, names are not checked.
/// - The id is present and occurs once.
/// - The arguments are a JSON object.
/// - A finish reason that announces tool calls comes with a tool call.
///
/// If an answer breaks one of these rules, the model is asked again and reads all mistakes. After
/// [`max_feedback`](StructureConfig::max_feedback) explanations, the run ends.
///
/// An answer that was cut ([`ModelResponse::is_cut`]) is not checked, because its tool calls do not run.
///
/// The guard runs on `PostLlmCall`. Its priority is 12.
///
/// ```
/// use exo_rails::message::{ToolCall, ToolSpec};
/// use exo_rails::prelude::*;
/// use exo_rails_guards::Structure;
/// use serde_json::json;
///
/// rail_chain! { struct Guards { structure: Structure } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let guards = Guards { structure: Structure::builder().build()? };
///
/// /// Calls a tool without an id, and with an id after the feedback.
/// async fn model(request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
///     let id = if request.messages.is_empty() { "" } else { "call-1" };
///     let mut response = ModelResponse::text("");
///     response.message.tool_calls = vec![ToolCall::new(id, "search", &json!({ "text": "rust" }))];
///     Ok(response)
/// }
///
/// let tools = vec![ToolSpec::new("search", "Searches.", json!({ "type": "object" }))];
/// let request = ModelCallInputs { tools, ..ModelCallInputs::default() };
/// let response = guards.guard_llm_call(request, &mut RunContext::new("demo"), model).await?;
/// assert_eq!(response.message.tool_calls[0].id, "call-1");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Structure {
    config: StructureConfig,
}

/// A broken rule, its tool call, and the explanation.
struct Mistake {
    rule: &'static str,
    call: Option<usize>,
    text: String,
}

impl Structure {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error if every check is off.
    pub fn new(config: StructureConfig) -> Result<Self, ConfigError> {
        let StructureConfig { names, ids, arguments, finish_reason, .. } = config;
        if !(names || ids || arguments || finish_reason) {
            return Err(ConfigError::new("every check is off: leave the guard out instead").in_key(GUARD));
        }
        Ok(Self { config })
    }

    fn mistakes(&self, tools: &[ToolSpec], response: &ModelResponse) -> Vec<Mistake> {
        let calls = &response.message.tool_calls;
        let names = tools.iter().map(|tool| tool.function.name.as_str()).collect::<Vec<_>>();
        let known = names.iter().copied().collect::<HashSet<_>>();
        let mut ids = HashSet::new();
        let mut mistakes = Vec::new();
        let mut note = |rule, call, text| mistakes.push(Mistake { rule, call, text });
        for (number, call) in calls.iter().enumerate() {
            if self.config.names && !known.is_empty() && !known.contains(call.function.name.as_str()) {
                note("names", Some(number), nearest_names(&call.function.name, &names));
            }
            if self.config.ids && (call.id.is_empty() || !ids.insert(call.id.as_str())) {
                let text = if call.id.is_empty() { "it has no id" } else { "its id occurs twice" };
                note("ids", Some(number), text.to_owned());
            }
            if self.config.arguments && !is_object(call) {
                note("arguments", Some(number), "its arguments are not a JSON object".to_owned());
            }
        }
        let reason = response.finish_reason.as_deref().unwrap_or_default();
        if self.config.finish_reason && calls.is_empty() && ANNOUNCE_CALLS.contains(&reason) {
            note("finish_reason", None, "the answer announces a tool call and has none".to_owned());
        }
        mistakes
    }
}

#[rail(priority = 12, name = "structure")]
impl Structure {
    #[on(PostLlmCall)]
    fn check(&self, request: &ModelCallInputs, response: &ModelResponse, ctx: &mut RailContext) -> RailAction {
        if response.is_cut() {
            return RailAction::Continue;
        }
        let mistakes = self.mistakes(&request.tools, response);
        let Some(Mistake { rule, call, .. }) = mistakes.first() else { return RailAction::Continue };
        let place = call.map_or_else(Place::default, |call| Place::pointer(format!("/tool_calls/{call}")));
        let text = explain(&mistakes);
        let finding = Finding::new(GUARD, *rule, Severity::Low, text.clone()).at(place);
        let feedback = format!("None of your tool calls ran: {text}. Make the calls again, without this mistake.");
        ask_again(GUARD, finding, feedback, self.config.max_feedback, ctx)
    }
}

/// Returns whether the arguments of a call are a JSON object. Some servers send an empty text for a tool without arguments.
fn is_object(call: &ToolCall) -> bool {
    let text = call.function.arguments.trim();
    text.is_empty() || serde_json::from_str::<Map<String, Value>>(text).is_ok()
}

fn explain(mistakes: &[Mistake]) -> String {
    let shown = mistakes.iter().take(MAX_MISTAKES).map(|Mistake { call, text, .. }| match call {
        Some(call) => format!("tool call {}: {text}", call + 1),
        None => text.clone(),
    });
    let mut text = shown.collect::<Vec<_>>().join("; ");
    if let Some(more) = mistakes.len().checked_sub(MAX_MISTAKES).filter(|more| *more > 0) {
        let _ = write!(text, "; and {more} more mistakes");
    }
    text
}

makes!(Structure, StructureConfig);

needs_only_its_configuration!(Structure, StructureConfig);
