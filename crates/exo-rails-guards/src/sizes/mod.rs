//! Sizes of arguments, outputs and answers.

use exo_rails::AnswerLimit;
use exo_rails::message::{Content, Message, Role, ToolCall};
use exo_rails::prelude::*;
pub use exo_rails_policy::sizes::{LargeOutput, SizesConfig};

use exo_rails_policy::{ConfigError, Severity};

use self::measure::{Excess, Measure};
use crate::config::makes;
use crate::finding::{Finding, Place};
use crate::history::Judge;
use crate::kit_guard::needs_only_its_configuration;
use crate::scan::CutOff;
use crate::shape::feedback::ask_again;

mod measure;

const GUARD: &str = "sizes";

/// The room for a note about removed text, in the smallest output.
const SMALLEST_OUTPUT: usize = 256;

/// Limits the sizes of arguments, tool outputs and answers.
///
/// - An answer whose text or tool calls are too large is not parsed. The model is asked again, and reads the limit
///   (`PostLlmCall`). A streamed answer is read up to the limit only.
/// - A tool call whose arguments are too large is skipped (`PreToolCall`).
/// - A tool output that is too large is withheld, or cut (`PostToolCall`). The model reads how large it was. An output in the
///   conversation of a request is withheld (`PreLlmCall`).
///
/// The measurement stops at the first limit. It allocates nothing.
///
/// The priority is 5, so the other guards read only what this guard has bounded. There is one exception: for
/// [`Secrets`](crate::Secrets) and [`PersonalData`](crate::PersonalData), the guard keeps 64 KiB after a cut until the event
/// ends. They hide a secret of which the output has only the beginning.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::Sizes;
/// use serde_json::json;
///
/// rail_chain! { struct Guards { sizes: Sizes } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let guards = Guards { sizes: Sizes::builder().max_depth(3).max_output_bytes(1_000).build()? };
/// let mut ctx = RunContext::new("demo");
/// let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("x".repeat(4_000))) };
///
/// let call = ToolCallInputs::new("search").with_arguments(json!({ "filter": [[[["deep"]]]] }));
/// let output = guards.guard_tool_call(call, &mut ctx, tool).await?;
/// assert!(output.content.ends_with("sizes/depth: the arguments are nested more than 3 levels deep"));
///
/// let output = guards.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
/// assert_eq!(output.content, "sizes/output_bytes: the output has 4000 bytes, and at most 1000 are allowed: ask for less");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Sizes {
    config: SizesConfig,
    judge: Judge,
}

impl Sizes {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error if a limit is 0, or if outputs are cut to fewer than 256 bytes.
    pub fn new(config: SizesConfig) -> Result<Self, ConfigError> {
        let limits = [
            ("max_argument_bytes", config.max_argument_bytes),
            ("max_depth", config.max_depth),
            ("max_items", config.max_items),
            ("max_string_bytes", config.max_string_bytes),
            ("max_output_bytes", config.max_output_bytes),
            ("max_answer_bytes", config.max_answer_bytes),
        ];
        if let Some((key, _)) = limits.iter().find(|(_, limit)| *limit == 0) {
            return Err(ConfigError::new("0 would refuse everything: write a limit of at least 1").in_key(key));
        }
        if config.large_output == LargeOutput::Cut && config.max_output_bytes < SMALLEST_OUTPUT {
            let message = format!("a cut output needs room for a note: write at least {SMALLEST_OUTPUT}");
            return Err(ConfigError::new(message).in_key("max_output_bytes"));
        }
        Ok(Self { config, judge: Judge::new() })
    }

    fn finding(&self, excess: Excess) -> Finding {
        let SizesConfig { max_argument_bytes, max_depth, max_items, max_string_bytes, .. } = self.config;
        let (rule, message) = match excess {
            Excess::Bytes => ("argument_bytes", format!("the arguments have more than {max_argument_bytes} bytes")),
            Excess::Depth => ("depth", format!("the arguments are nested more than {max_depth} levels deep")),
            Excess::Items => ("items", format!("the arguments have more than {max_items} items")),
            Excess::StringBytes => {
                ("string_bytes", format!("a string in the arguments has more than {max_string_bytes} bytes"))
            }
        };
        Finding::new(GUARD, rule, Severity::Medium, message)
    }

    /// The limits of a streamed answer: of its text, and of the arguments of each tool call.
    const fn of_stream(&self) -> [AnswerLimit; 2] {
        let SizesConfig { max_answer_bytes, max_argument_bytes, .. } = self.config;
        [AnswerLimit::Text(max_answer_bytes as u64), AnswerLimit::Arguments(max_argument_bytes as u64)]
    }

    fn of_output(&self, bytes: usize) -> Option<Finding> {
        let max = self.config.max_output_bytes;
        let message = || format!("the output has {bytes} bytes, and at most {max} are allowed: ask for less");
        (bytes > max).then(|| Finding::new(GUARD, "output_bytes", Severity::Low, message()))
    }

    /// Returns the first mistake in an answer. The rest of a streamed answer behind the passed limit was not read.
    fn of_answer(&self, response: &ModelResponse, passed: Option<AnswerLimit>) -> Option<Finding> {
        let SizesConfig { max_answer_bytes, .. } = self.config;
        let [of_text, of_arguments] = self.of_stream();
        if response.message.text().len() > max_answer_bytes || passed == Some(of_text) {
            let message = format!("the text of the answer has more than {max_answer_bytes} bytes");
            return Some(Finding::new(GUARD, "answer_bytes", Severity::Medium, message));
        }
        let of_call = |(number, call): (usize, &ToolCall)| {
            let excess = Measure::text(&call.function.arguments, &self.config)?;
            Some(self.finding(excess).at(Place::pointer(format!("/tool_calls/{number}"))))
        };
        let found = response.message.tool_calls.iter().enumerate().find_map(of_call);
        found.or_else(|| (passed == Some(of_arguments)).then(|| self.finding(Excess::Bytes)))
    }
}

#[rail(priority = 5, name = "sizes")]
impl Sizes {
    /// The limits of the answer, and outputs in the conversation that no other event has had.
    #[on(PreLlmCall)]
    fn request(&self, call: &mut ModelCallInputs, ctx: &mut RailContext) {
        self.of_stream().into_iter().for_each(|limit| ctx.limit_answer(limit));
        for number in 0..call.messages.len() {
            let Some(Message { role: Role::Tool, content: Some(content), .. }) = call.messages.get(number) else {
                continue;
            };
            // Not cut: the guards that look for what a cut has divided read outputs, and no conversation.
            let Some(finding) = self.of_output(content.text().len()) else { continue };
            let (reason, is_new) = (finding.reason(), self.judge.is_new(&Role::Tool, content, ctx));
            if is_new {
                finding.at(Place::pointer(format!("/messages/{number}/content"))).report(ctx);
            }
            if let Some(message) = call.messages.get_mut(number) {
                message.content = Some(Content::Text(reason.to_string()));
            }
        }
    }

    #[on(PostLlmCall)]
    fn answer(&self, response: &ModelResponse, ctx: &mut RailContext) -> RailAction {
        let Some(finding) = self.of_answer(response, ctx.passed_limit()) else { return RailAction::Continue };
        let feedback = format!("Your last answer was too large: {}. Answer again, with less.", finding.message);
        ask_again(GUARD, finding, feedback, self.config.max_feedback, ctx)
    }

    #[on(PreToolCall)]
    fn arguments(&self, call: &ToolCallInputs, ctx: &mut RailContext) -> RailAction {
        let Some(excess) = Measure::value(&call.arguments, &self.config) else { return RailAction::Continue };
        let finding = self.finding(excess);
        let reason = finding.reason();
        finding.report(ctx);
        RailAction::skip(reason)
    }

    #[on(PostToolCall)]
    fn output(&self, output: &mut ToolOutput, ctx: &mut RailContext) {
        let Some(finding) = self.of_output(output.content.len()) else { return };
        match self.config.large_output {
            LargeOutput::Refuse => *output = ToolOutput::error(finding.reason().to_string()),
            LargeOutput::Cut => {
                let note = format!("\n[{}]", finding.reason());
                let keep = self.config.max_output_bytes.saturating_sub(note.len());
                ctx.extra.insert(CutOff::cut(&mut output.content, keep, note));
            }
        }
        finding.report(ctx);
    }
}

makes!(Sizes, SizesConfig);

needs_only_its_configuration!(Sizes, SizesConfig);
