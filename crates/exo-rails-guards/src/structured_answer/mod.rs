//! Answers of the model that must be JSON of a schema.

use exo_rails::prelude::*;
pub use exo_rails_policy::structured_answer::StructuredAnswerConfig;
use exo_rails_policy::{ConfigError, Severity};
use serde_json::Value;

use crate::config::makes;
use crate::finding::{Finding, Place};
use crate::kit_guard::needs_only_its_configuration;
use crate::shape::compiled::Schema;
use crate::shape::feedback::ask_again;

const GUARD: &str = "structured_answer";

/// Checks that the answer of the model is JSON, and nothing but JSON, that fits a schema.
///
/// If it is not, the model is called again and reads the path, what was expected, and the kind of the value. After
/// [`max_feedback`](StructuredAnswerConfig::max_feedback) explanations in a run, the run ends.
///
/// An answer with tool calls is not the last answer of a run, so it is not checked. The text itself does not change: JSON
/// in a code fence does not fit, and the model reads why.
///
/// The guard runs on `PostLlmCall`. Its priority is 15. In a streamed run, the pieces have been sent before the check.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::StructuredAnswer;
/// use serde_json::json;
///
/// rail_chain! { struct Guards { answer: StructuredAnswer } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
/// let guards = Guards { answer: StructuredAnswer::builder().schema(schema).build()? };
/// let model = |request: Permit<ModelCallInputs>| async move {
///     let Some(feedback) = request.messages.last() else { return Ok(ModelResponse::text(r#"{ "town": "Ulm" }"#)) };
///     assert!(feedback.text().contains("at `/`: the property `city` is missing"));
///     Ok::<_, OperationError>(ModelResponse::text(r#"{ "city": "Ulm" }"#))
/// };
/// let response = guards.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("demo"), model).await?;
/// assert_eq!(response.message.text(), r#"{ "city": "Ulm" }"#);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct StructuredAnswer {
    schema: Schema,
    max_feedback: u32,
}

impl StructuredAnswer {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error if the schema is not a schema, or refers to something outside of it.
    pub fn new(config: StructuredAnswerConfig) -> Result<Self, ConfigError> {
        let StructuredAnswerConfig { schema, check_formats, max_feedback } = config;
        let schema = Schema::of_config(schema, check_formats).map_err(|error| error.in_key("schema"))?;
        Ok(Self { schema, max_feedback })
    }

    fn finding(&self, response: &ModelResponse) -> Option<Finding> {
        let text = response.message.text();
        let value = match serde_json::from_str::<Value>(&text) {
            Ok(value) => value,
            Err(error) => {
                let message = not_json(&text, response.is_cut(), &error);
                return Some(Finding::new(GUARD, "not_json", Severity::Low, message));
            }
        };
        let violation = match self.schema.check(&value) {
            Ok(violation) => violation?,
            Err(error) => {
                let message = format!("the schema of the answer cannot be used: {error}");
                return Some(Finding::new(GUARD, "bad_schema", Severity::Medium, message));
            }
        };
        let message = format!("the answer does not fit its schema: {}", violation.text);
        Some(Finding::new(GUARD, "schema", Severity::Low, message).at(Place::pointer(violation.pointer)))
    }
}

#[rail(priority = 15, name = "structured_answer")]
impl StructuredAnswer {
    #[on(PostLlmCall)]
    fn check(&self, response: &ModelResponse, ctx: &mut RailContext) -> RailAction {
        if !response.message.tool_calls.is_empty() {
            return RailAction::Continue;
        }
        let Some(finding) = self.finding(response) else { return RailAction::Continue };
        let feedback = format!("{}. Answer again, with JSON only.", capital(&finding.message));
        ask_again(GUARD, finding, feedback, self.max_feedback, ctx)
    }
}

/// Explains why a text is not JSON. The message of serde quotes nothing, but only its place is useful here.
fn not_json(text: &str, is_cut: bool, error: &serde_json::Error) -> String {
    if is_cut {
        return "the answer was cut before its end, so it is not JSON: answer with less".to_owned();
    }
    if text.trim_start().starts_with("```") {
        return "the answer is in a code fence: write the JSON without the fence".to_owned();
    }
    if text.trim().is_empty() {
        return "the answer is empty: write JSON".to_owned();
    }
    format!("the answer is not JSON from line {}, column {}", error.line(), error.column())
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

makes!(StructuredAnswer, StructuredAnswerConfig);

needs_only_its_configuration!(StructuredAnswer, StructuredAnswerConfig);
