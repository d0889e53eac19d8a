//! Personal data in texts: addresses, and numbers of people, cards and accounts.

pub use exo_rails_policy::personal_data::{PersonalDataConfig, Placeholders};
use std::ops::Range;
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::{MemoryEntry, NoRetry, NoSubstitute, RecalledMemory, SessionInfo};
use exo_rails_policy::At;

use self::named::Named;
use self::recognisers::ALL;
use crate::config::makes;
use crate::kit_guard::needs_only_its_configuration;
use crate::scan::{InReadings, Redactor, Rule, Settings, chosen, plain};
use crate::vault::{self, Marks, Placing};
pub use crate::vault::{Reveal, reveal, true_arguments};
use exo_rails_policy::{ConfigError, Severity, ToolPattern};

use crate::finding::Finding;

mod checksums;
mod named;
mod recognisers;

const GUARD: &str = "personal_data";

/// Finds the placeholders in a stream.
static MARKS: InReadings<Marks> = InReadings::new(Marks, true);

/// Finds personal data in the texts of a run, and hides it.
///
/// The texts and the events are those of [`Secrets`](crate::Secrets). The priority is 8.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::PersonalData;
///
/// rail_chain! { struct Guards { personal_data: PersonalData } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let guards = Guards { personal_data: PersonalData::builder().build()? };
/// let customer = |_| async { Ok::<_, OperationError>(ToolOutput::text("Ada, ada@example.com, +44 20 7946 0958")) };
/// let output = guards.guard_tool_call(ToolCallInputs::new("customer"), &mut RunContext::new("desk"), customer).await?;
/// assert_eq!(output.content, "Ada, [EMAIL], [PHONE]");
/// # Ok(()) }
/// ```
///
/// # Placeholders
///
/// With [`placeholders`](field@PersonalDataConfig::placeholders), a number in the mark tells values apart: `[EMAIL_1]`. The same value has
/// the same placeholder in a session, or in a run without a session. The tools that the configuration names can ask for the true
/// values with [`true_arguments`], so the model can send a mail to a person whose address it does not see:
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::PersonalData;
/// use exo_rails_guards::personal_data::{Placeholders, true_arguments};
/// use serde_json::json;
///
/// rail_chain! { struct Guards { personal_data: PersonalData } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let placeholders = Placeholders { tools: vec!["send_mail".parse()?], ..Placeholders::default() };
/// let guards = Guards { personal_data: PersonalData::builder().placeholders(placeholders).build()? };
/// let mut ctx = RunContext::new("desk");
///
/// let customer = |_| async { Ok::<_, OperationError>(ToolOutput::text("ada@example.com")) };
/// let output = guards.guard_tool_call(ToolCallInputs::new("customer"), &mut ctx, customer).await?;
/// assert_eq!(output.content, "[EMAIL_1]");
///
/// let send = |call: Permit<ToolCallInputs>| async move {
///     assert_eq!(call.arguments, json!({ "to": "[EMAIL_1]" }));
///     let arguments = true_arguments(&call);
///     assert_eq!(arguments, json!({ "to": "ada@example.com" }));
///     Ok::<_, OperationError>(ToolOutput::text("sent to ada@example.com"))
/// };
/// let call = ToolCallInputs::new("send_mail").with_arguments(json!({ "to": "[EMAIL_1]" }));
/// let output = guards.guard_tool_call(call, &mut ctx, send).await?;
/// assert_eq!(output.content, "sent to [EMAIL_1]");
/// # Ok(()) }
/// ```
///
/// The page "Personal data" of the book lists the recognisers, says where the values are, which guards compare them, and what
/// the guard does not find.
#[derive(Debug)]
pub struct PersonalData {
    redactor: Redactor,
    placeholders: Option<Placeholders>,
    /// The tools that receive the values.
    tools: Arc<[ToolPattern]>,
}

/// The mark of a guard with placeholders, at an event.
struct HasPlaceholders;

impl PersonalData {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key if a recogniser does not exist, or if none is left.
    pub fn new(config: PersonalDataConfig) -> Result<Self, ConfigError> {
        let names: Vec<&str> = ALL.iter().map(|recogniser| recogniser.name).collect();
        let listed = chosen(&config.recognisers, &names).map_err(|error| error.in_key("recognisers"))?;
        let except = chosen(&config.except, &names).map_err(|error| error.in_key("except"))?;
        let runs = |number: &usize| {
            let is_listed = if listed.is_empty() { ALL[*number].is_default } else { listed.contains(number) };
            is_listed && !except.contains(number)
        };
        let mut rules: Vec<Rule> = (0..ALL.len()).filter(runs).map(|number| ALL[number].rule()).collect();
        // A word before a number says what it is, even if its recogniser is not on by default.
        let may_run = |named: &&Named| {
            let number = ALL.iter().position(|recogniser| recogniser.name == named.name);
            number.is_some_and(|number| !except.contains(&number) && (listed.is_empty() || listed.contains(&number)))
        };
        if !rules.is_empty() {
            rules.extend(named::ALL.iter().filter(may_run).map(Named::rule));
        }
        if rules.is_empty() {
            return Err(ConfigError::new("the guard has no recognisers: write fewer names").in_key("except"));
        }
        let redactor = Redactor::new(
            rules,
            &Settings {
                guard: GUARD,
                severity: Severity::Medium,
                actions: config.actions,
                overrides: &config.overrides,
                max_text_bytes: config.max_text_bytes,
                whole: "[PERSONAL_DATA]",
            },
        )?;
        let tools = config.placeholders.iter().flat_map(|placeholders| placeholders.tools.clone()).collect();
        Ok(Self { redactor, placeholders: config.placeholders, tools })
    }

    /// Returns the names of all recognisers, with what they find and whether they are the default.
    pub fn all() -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        ALL.iter().map(|recogniser| (recogniser.name, recogniser.finds, recogniser.is_default))
    }

    /// Returns the names of the recognisers of this guard, with what they find.
    pub fn recognisers(&self) -> impl Iterator<Item = (&str, &str)> {
        let rules = self.redactor.rules();
        // A recogniser may have a second rule, for its numbers behind words.
        let is_first = |(number, rule): &(usize, &Rule)| rules[..*number].iter().all(|other| other.id != rule.id);
        rules.iter().enumerate().filter(is_first).map(|(_, rule)| (&*rule.id, &*rule.description))
    }

    /// Returns the values in a text, in order: the name of the rule, and the bytes. Values that overlap are one.
    ///
    /// ```
    /// use exo_rails_guards::PersonalData;
    ///
    /// let personal_data = PersonalData::builder().build()?;
    /// assert_eq!(personal_data.find("ask ada@example.com"), [("email", 4..19)]);
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<(&str, Range<usize>)> {
        self.redactor.find(text)
    }

    /// Returns a text as the guard leaves it in the output of a tool, without placeholders.
    ///
    /// ```
    /// use exo_rails_guards::PersonalData;
    ///
    /// let personal_data = PersonalData::builder().build()?;
    /// assert_eq!(personal_data.redacted("card 4111 1111 1111 1111, order 4111111111111112"), "card [CREDIT_CARD], order 4111111111111112");
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    #[must_use]
    pub fn redacted(&self, text: &str) -> String {
        self.redactor.redacted(text, At::Output)
    }

    /// Returns what makes the marks of an event.
    fn mark(&self, ctx: &RailContext) -> impl FnMut(&Rule, &str) -> String + use<> {
        let numbered = self.placing(ctx);
        move |rule, value| match &numbered {
            Some(placing) => placing.mark(&rule.mark(), value),
            None => plain(rule, value),
        }
    }

    fn placing(&self, ctx: &RailContext) -> Option<Placing> {
        self.placeholders.as_ref().map(|config| Placing::new(ctx, config.max_values))
    }

    /// Reserves the placeholders in the texts of an event, before the values in them get theirs.
    fn reserve(&self, ctx: &RailContext, texts: impl FnOnce(&mut dyn FnMut(&str))) {
        if let Some(placing) = self.placing(ctx) {
            texts(&mut |text| placing.reserve(text, |kind| self.is_kind(kind)));
        }
    }

    fn is_kind(&self, kind: &str) -> bool {
        self.redactor.rules().iter().any(|rule| rule.has_mark(kind))
    }

    /// Returns the finding about a placeholder that stands for no value, in a call of a tool that receives values.
    fn unknown(&self, call: &ToolCallInputs, ctx: &RailContext) -> Option<Finding> {
        let config = self.placeholders.as_ref()?;
        if !config.tools.iter().any(|tool| tool.matches(&call.tool_name)) {
            return None;
        }
        let placeholder = vault::unknown(ctx, &call.arguments, |kind| self.is_kind(kind))?;
        let message =
            format!("`{placeholder}` stands for no value of this session: use a placeholder that a tool has returned");
        Some(Finding::new(GUARD, "unknown_placeholder", Severity::Low, message))
    }
}

#[rail(priority = 8, name = "personal_data")]
impl PersonalData {
    #[on(Start)]
    fn input(&self, run: &mut InvokeInputs, ctx: &mut RailContext) -> RailAction {
        let from = self.redactor.searched_before(&run.messages, ctx);
        self.reserve(ctx, |reserve| run.for_each_text_from(from, |text| reserve(text)));
        let mut mark = self.mark(ctx);
        self.redactor.input(run, ctx, &mut mark)
    }

    #[on(MemoryRecalled)]
    fn recalled(&self, memory: &mut RecalledMemory, ctx: &mut RailContext) -> RailAction<NoSubstitute, NoRetry> {
        self.reserve(ctx, |reserve| memory.for_each_text(|text| reserve(text)));
        let mut mark = self.mark(ctx);
        self.redactor.recalled(memory, ctx, &mut mark)
    }

    #[on(LlmChunk)]
    fn piece(&self, window: &mut StreamWindow, ctx: &mut RailContext) -> Verdict {
        self.reserve(ctx, |reserve| {
            window.replace_with(&MARKS, |mark| {
                reserve(&mark);
                mark.to_owned()
            });
        });
        let mut mark = self.mark(ctx);
        self.redactor.piece(window, ctx, &mut mark)
    }

    #[on(PostLlmCall)]
    fn answer(&self, response: &mut ModelResponse, ctx: &mut RailContext) -> Verdict {
        self.reserve(ctx, |reserve| response.for_each_text(|text| reserve(text)));
        let mut mark = self.mark(ctx);
        self.redactor.answer(response, ctx, &mut mark)
    }

    #[on(LlmError)]
    fn model_error(&self, error: &OperationError, ctx: &mut RailContext) -> Verdict {
        self.reserve(ctx, |reserve| reserve(&error.to_string()));
        let mut mark = self.mark(ctx);
        self.redactor.model_error(error, ctx, &mut mark)
    }

    #[on(PreToolCall)]
    fn arguments(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> RailAction {
        self.reserve(ctx, |reserve| reserve(&call.arguments.to_string()));
        let mut mark = self.mark(ctx);
        let refused = self.redactor.arguments(call, ctx, &mut mark);
        // The configuration may be another one than at the last call. A guard without placeholders leaves the tools of another one.
        if self.placeholders.is_some() {
            ctx.extra.insert(HasPlaceholders);
        }
        if self.placeholders.is_some() || ctx.extra.get::<HasPlaceholders>().is_none() {
            vault::set_tools(ctx, &self.tools);
        }
        if let Some(reason) = refused {
            return RailAction::skip(reason);
        }
        let Some(finding) = self.unknown(call, ctx) else { return RailAction::Continue };
        let reason = finding.reason();
        finding.report(ctx);
        RailAction::skip(reason)
    }

    #[on(PostToolCall)]
    fn output(&self, output: &mut ToolOutput, ctx: &mut RailContext) {
        self.reserve(ctx, |reserve| output.for_each_text(|text| reserve(text)));
        let mut mark = self.mark(ctx);
        self.redactor.output(output, ctx, &mut mark);
    }

    #[on(ToolError)]
    fn tool_error(
        &self,
        call: &ToolCallInputs,
        error: &OperationError,
        ctx: &mut RailContext,
    ) -> RailAction<ToolOutput> {
        self.reserve(ctx, |reserve| reserve(&error.to_string()));
        let mut mark = self.mark(ctx);
        self.redactor.tool_error(call, error, ctx, &mut mark)
    }

    #[on(MemoryStored)]
    fn stored(&self, entry: &mut MemoryEntry, ctx: &mut RailContext) -> RailAction<NoSubstitute, NoRetry> {
        self.reserve(ctx, |reserve| entry.for_each_text(|text| reserve(text)));
        let mut mark = self.mark(ctx);
        self.redactor.stored(entry, ctx, &mut mark)
    }

    /// Forgets the values.
    #[on(SessionEnd)]
    fn forget(&self, _session: &SessionInfo, ctx: &RailContext) {
        if self.placeholders.is_some() {
            vault::forget(ctx);
        }
    }
}

makes!(PersonalData, PersonalDataConfig);

needs_only_its_configuration!(PersonalData, PersonalDataConfig);
