//! The guard that runs the handlers.

use std::sync::Arc;

use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails::{NoRetry, NoSubstitute};
use exo_rails_policy::Severity;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::event::event_of;
use super::handler::{Handler, Runner};
use super::outcome::{Effect, GUARD, Outcome};
use super::output::{Answer, Decision};
use super::{FailMode, HandlerError, HandlerEvent, HandlerFault, event};
use crate::finding::Finding;

/// Runs hook handlers at events: the page "Hook handlers" of the book describes the protocol.
///
/// The priority is 8, before the guards that decide about tool calls (10 to 20), because a handler may rewrite arguments, and
/// those guards must see what the tool will receive. [`Sizes`](crate::Sizes) (5) comes before it.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::handlers::{CommandRun, HandlerConfig, HandlerEvent, HookHandlers, Run};
///
/// rail_chain! { struct Guards { handlers: HookHandlers } }
///
/// # #[cfg(unix)]
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = std::env::temp_dir().join(format!("exo-rails-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// # let check = dir.join("check");
/// # std::fs::write(&check, "#!/bin/sh\ngrep -q '\"prod' && { echo 'not on prod' >&2; exit 2; }\nexit 0\n")?;
/// # std::fs::set_permissions(&check, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
/// // `check` is a shell script: `grep -q '"prod' && { echo 'not on prod' >&2; exit 2; }; exit 0`
/// let command = CommandRun { program: check, ..CommandRun::default() };
/// let handler = HandlerConfig::new([HandlerEvent::PreToolCall], Run::Command(command)).with_tool("{deploy,rollback}".parse()?);
/// let guards = Guards { handlers: HookHandlers::builder().handler(handler).allowed_dir(&dir).build()? };
///
/// let call = ToolCallInputs::new("deploy").with_arguments(serde_json::json!({ "to": "prod-1" }));
/// let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("deployed")) };
/// let output = guards.guard_tool_call(call, &mut RunContext::new("demo"), tool).await?;
/// assert!(output.content.ends_with("hook_handlers/block: handlers[0]: not on prod"));
/// # std::fs::remove_dir_all(dir)?;
/// # Ok(()) }
/// # #[cfg(not(unix))]
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct HookHandlers {
    handlers: Vec<Handler>,
    background: Arc<Semaphore>,
}

impl HookHandlers {
    pub(super) fn of(handlers: Vec<Handler>, max_background: usize) -> Self {
        Self { handlers, background: Arc::new(Semaphore::new(max_background)) }
    }

    /// Runs the handlers of the event.
    async fn run(&self, mut inputs: Inputs<'_>, ctx: &mut RailContext) -> Result<(Effect, Subject), HandlerError> {
        let mut outcome = Outcome::default();
        let Some(event) = event_of(&inputs) else { return Ok((Effect::Continue, Subject::default())) };
        let mut json = None;
        for handler in &self.handlers {
            if !handler.is_for(event, event::tool_name(&inputs)) {
                continue;
            }
            let text = json.get_or_insert_with(|| event::to_json(event, &inputs, ctx));
            if let Runner::Background(external) = &handler.runner {
                handler.start(external, text, &self.background, ctx.is_shadow());
                continue;
            }
            match handler.answer(text, ctx).await.and_then(|answer| apply(event, answer, &mut inputs, &mut json)) {
                Ok(answer) => {
                    if let Some(message) = &answer.context_message {
                        ctx.notify_model(Message::system(message.clone()));
                    }
                    outcome.add(&handler.name, handler.on_block, &answer);
                }
                Err(fault) => fail(handler, event, fault, &mut outcome, ctx),
            }
        }
        let subject = json.map(Subject::of).unwrap_or_default();
        Ok((outcome.effect()?, subject))
    }
}

/// What a question is about: the fields of the event that are the same when a suspended run is resumed.
#[derive(Default)]
struct Subject(Value);

impl Subject {
    fn of(mut json: Value) -> Self {
        if let Some(fields) = json.as_object_mut() {
            for name in ["timestamp", "session_id", "run_id", "agent", "step"] {
                fields.remove(name);
            }
        }
        Self(json)
    }
}

/// Applies what an answer updates.
fn apply(
    event: HandlerEvent,
    mut answer: Answer,
    inputs: &mut Inputs<'_>,
    json: &mut Option<Value>,
) -> Result<Answer, HandlerFault> {
    let decides = matches!(answer.decision, Some(Decision::Ask | Decision::Block)) || answer.updated.is_some();
    if decides && !event.can_decide() {
        return Err(HandlerFault::CannotDecide);
    }
    if answer.decision == Some(Decision::Ask) && !event.can_wait() {
        return Err(HandlerFault::CannotAsk);
    }
    if let Some(updated) = answer.updated.take().filter(|_| answer.decision != Some(Decision::Block)) {
        if !event::update(inputs, updated) {
            return Err(HandlerFault::BadUpdate);
        }
        // The next handler receives the new payload.
        *json = None;
    }
    Ok(answer)
}

fn fail(handler: &Handler, event: HandlerEvent, fault: HandlerFault, outcome: &mut Outcome, ctx: &mut RailContext) {
    match handler.fail_mode {
        FailMode::Closed => {
            outcome.fault.get_or_insert(HandlerError { handler: handler.name.clone(), event, fault });
        }
        FailMode::Open => {
            let message = format!("{}: {fault}", handler.name);
            Finding::new(GUARD, "fault", Severity::Medium, message).report(ctx);
        }
    }
}

/// Reports the finding, and returns its reason.
fn reported(finding: Finding, ctx: &mut RailContext) -> exo_rails::Reason {
    let reason = finding.reason();
    finding.report(ctx);
    reason
}

/// Asks a person, unless the run has the answer.
fn ask<R>(finding: Finding, subject: &Subject, ctx: &mut RailContext) -> RailAction<NoSubstitute, R> {
    let question = ctx.question(finding.reason()).with_data(&subject.0);
    match ctx.answer_to::<bool>(&question) {
        Ok(Some(true)) => RailAction::Continue,
        Ok(Some(false)) => RailAction::abort("a person has refused"),
        Ok(None) => {
            finding.report(ctx);
            RailAction::suspend(question)
        }
        Err(_) => RailAction::abort("the answer to the question is neither `true` nor `false`"),
    }
}

#[rail(priority = 8, name = "hook_handlers")]
impl HookHandlers {
    #[on(Start, PreLlmCall, PostLlmCall, LlmError, ToolError, Finished)]
    async fn decide(&self, inputs: Inputs<'_>, ctx: &mut RailContext) -> Result<RailAction, HandlerError> {
        let (effect, subject) = self.run(inputs, ctx).await?;
        Ok(match effect {
            Effect::Continue => RailAction::Continue,
            Effect::Refuse(finding) | Effect::Abort(finding) => RailAction::abort(reported(finding, ctx)),
            Effect::Ask(finding) => ask(finding, &subject, ctx),
        })
    }

    #[on(PreToolCall)]
    async fn before_tool(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> Result<RailAction, HandlerError> {
        let (effect, subject) = self.run(Inputs::PreToolCall(call), ctx).await?;
        Ok(match effect {
            Effect::Continue => RailAction::Continue,
            Effect::Refuse(finding) => RailAction::skip(reported(finding, ctx)),
            Effect::Abort(finding) => RailAction::abort(reported(finding, ctx)),
            Effect::Ask(finding) => match ask(finding, &subject, ctx) {
                // A call that a person refuses does not happen, and the run goes on.
                RailAction::Abort(abort) if abort.ending.is_none() => RailAction::skip(abort.reason),
                action => action,
            },
        })
    }

    #[on(PostToolCall)]
    async fn after_tool(
        &self,
        call: &ToolCallInputs,
        output: &mut ToolOutput,
        ctx: &mut RailContext,
    ) -> Result<RailAction, HandlerError> {
        let (effect, subject) = self.run(Inputs::PostToolCall(call, output), ctx).await?;
        Ok(match effect {
            Effect::Continue => RailAction::Continue,
            // A skip would keep the output.
            Effect::Refuse(finding) => {
                *output = ToolOutput::error(format!("the output is withheld: {}", reported(finding, ctx)));
                RailAction::Continue
            }
            Effect::Abort(finding) => RailAction::abort(reported(finding, ctx)),
            Effect::Ask(finding) => ask(finding, &subject, ctx),
        })
    }

    #[on(MemoryRecalled, PreCompaction, MemoryStored)]
    async fn decide_about_memory(
        &self,
        inputs: Inputs<'_>,
        ctx: &mut RailContext,
    ) -> Result<RailAction<NoSubstitute, NoRetry>, HandlerError> {
        let (effect, subject) = self.run(inputs, ctx).await?;
        Ok(match effect {
            Effect::Continue => RailAction::Continue,
            Effect::Refuse(finding) => RailAction::skip(reported(finding, ctx)),
            Effect::Abort(finding) => RailAction::abort(reported(finding, ctx)),
            Effect::Ask(finding) => ask(finding, &subject, ctx),
        })
    }

    #[on(SessionStart, ContextAssembled, ContextOverflow)]
    async fn decide_to_go_on(&self, inputs: Inputs<'_>, ctx: &mut RailContext) -> Result<Verdict, HandlerError> {
        let (effect, _) = self.run(inputs, ctx).await?;
        Ok(match effect {
            Effect::Continue => Verdict::Continue,
            Effect::Refuse(finding) | Effect::Abort(finding) | Effect::Ask(finding) => {
                Verdict::abort(reported(finding, ctx))
            }
        })
    }

    #[on(PostCompaction, Error, Suspended, SessionEnd)]
    async fn observe(&self, inputs: Inputs<'_>, ctx: &mut RailContext) -> Result<(), HandlerError> {
        self.run(inputs, ctx).await.map(|_| ())
    }
}
