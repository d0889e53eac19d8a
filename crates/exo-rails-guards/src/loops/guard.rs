//! The guard.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use exo_rails::RailContext;
use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails_policy::ToolName;
use exo_rails_policy::loops::Level;
use exo_rails_policy::{ConfigError, Severity, ToolPattern};

use super::canonical;
use super::history::{Ended, History, LoopHistory, Place, Waiting};
use super::judge::{Loop, Pattern, judge};
use super::progress::Progress;
use super::{LoopScope, LoopsConfig};
use crate::config::makes;
use crate::finding::Finding;
use crate::kit_guard::needs_only_its_configuration;
use crate::limits::scope::ScopeError;

const GUARD: &str = "loops";

/// The longest name of a tool in a warning, in characters.
const LONGEST_NAME: usize = 64;

/// Stops agents that make the same tool calls again and again.
///
/// The [module](super) describes the loops that the guard finds. The guard acts in three steps:
///
/// 1. After a call that is part of a loop, the model reads a warning. It reads one warning for each loop.
/// 2. If the loop goes on, the guard skips its calls, and the model reads the reason. A refused call still counts for the loop.
/// 3. If the loop still goes on, the run ends.
///
/// [`Levels`](super::Levels) sets the number of calls for each step. The findings and reasons name the pattern as the rule,
/// such as `loops/repetition`.
///
/// The history is a value of the run or of the session: see [`LoopHistory`]. The guard forgets the calls at the beginning of a
/// run (with the scope [`Run`](LoopScope::Run)), after [progress](super::Progress), and after a call of a tool in
/// [`resets`](field@LoopsConfig::resets).
///
/// Waiting is not a loop as long as time passes: see [`waits`](field@LoopsConfig::waits).
///
/// The priority is 20. If a rail with a lower priority refuses a call, the guard sees only the output of the refused call. This
/// output counts too, so the guard also finds an agent that repeats a refused call.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::Loops;
/// use serde_json::json;
///
/// rail_chain! { struct Guards { loops: Loops } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let guards = Guards { loops: Loops::builder().build()? };
/// let mut ctx = RunContext::new("demo");
/// let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("no orders")) };
/// let mut search = async || {
///     let call = ToolCallInputs::new("search").with_arguments(json!({ "status": "late" }));
///     guards.guard_tool_call(call, &mut ctx, tool).await
/// };
/// for _ in 0..4 {
///     assert_eq!(search().await?.content, "no orders");
/// }
/// let refused = search().await?.content;
/// assert!(refused.contains("loops/repetition: 5 calls in a row have the same arguments, and there is no new result"));
/// search().await?;
/// search().await?;
/// assert!(matches!(search().await, Err(RunError::Abort(_))));
///
/// let warning = ctx.take_notices().remove(0);
/// assert!(warning.text().starts_with("`search`: 3 calls in a row have the same arguments"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Loops {
    config: LoopsConfig,
    /// A hash of the configuration. If another guard with the same configuration replaces this one, it continues the history.
    id: u64,
}

/// The reason why the guard could not decide.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoopError {
    /// The history is per session, and the run has no session.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The history in the record of the run cannot be read.
    #[error("the saved history `loops` cannot be read: {0}")]
    Saved(#[from] serde_json::Error),
}

impl Loops {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key in these cases:
    ///
    /// - A level is 1, or the levels of a pattern are not in order.
    /// - `max_period` is less than 2 while oscillation is not off.
    /// - `window` is more than 4096, or too small for the levels.
    pub fn new(config: LoopsConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let mut hasher = DefaultHasher::new();
        format!("{config:?}").hash(&mut hasher);
        Ok(Self { config, id: hasher.finish() })
    }

    /// Changes the history of the run or the session. Each record of the run has the history of the run.
    fn update<T>(&self, ctx: &RailContext, change: impl FnOnce(&mut History) -> T) -> Result<T, LoopError> {
        let change = |history: &mut LoopHistory| change(history.of(self.id));
        match self.config.scope {
            LoopScope::Run => Ok(ctx.run.update_kept(GUARD, change)?),
            LoopScope::Session => Ok(ctx.session.update(change)),
        }
    }

    /// Returns whether a call is one of a tool that waits. Such a tool may do more than others, so its name must be the exact one.
    fn waits(&self, call: &ToolCallInputs) -> bool {
        self.config.waits.iter().any(|pattern| pattern.matches(&call.tool_name)) && !listed(&self.config.resets, call)
    }

    /// Begins a call of a tool that waits. Returns the loop that the guard must refuse.
    fn begin_waiting(&self, call: &ToolCallInputs, ctx: &RailContext) -> Result<Option<Loop>, LoopError> {
        let (call, wait) = (canonical::call(call), Duration::from_millis(self.config.wait_ms));
        self.update(ctx, |history| {
            let waiting = history.waiting();
            let count = waiting.begin(call, wait);
            let found = self.found_waiting(call, count).filter(|found| found.level > Level::Warn)?;
            waiting.end(call, None, count);
            Some(found)
        })
    }

    /// Ends a call of a tool that waits. Returns the loop, and `true` if the model has not read a warning about it yet.
    fn end_waiting(
        &self,
        call: &ToolCallInputs,
        output: &ToolOutput,
        ctx: &RailContext,
    ) -> Result<Option<(Loop, bool)>, LoopError> {
        if ctx.substituted_by().is_some() && ctx.elapsed().is_none() {
            return Ok(None);
        }
        let (call, result) = (canonical::call(call), canonical::result(output));
        let wait = Duration::from_millis(self.config.wait_ms);
        self.update(ctx, |history| {
            let waiting = history.waiting();
            let count = waiting.begin(call, wait);
            let count = waiting.end(call, Some(result), count);
            let found = self.found_waiting(call, count)?;
            let is_new = history.warn_once(&found.calls);
            Some((found, is_new))
        })
    }

    fn found_waiting(&self, call: u64, count: u32) -> Option<Loop> {
        let level = self.config.waiting.of(count)?;
        Some(Loop { pattern: Pattern::Waiting, count, level, calls: vec![call] })
    }

    /// Begins a call. Returns the loop that the call would continue, if the guard must refuse the call.
    fn begin(&self, call: &ToolCallInputs, ctx: &RailContext) -> Result<Option<Loop>, LoopError> {
        let (call, place, measure) = (canonical::call(call), Place::of(ctx), Progress::of(ctx));
        self.update(ctx, |history| {
            *history.waiting() = Waiting::default();
            history.advance(measure);
            let idle = history.idle().map(|idle| idle.saturating_add(1));
            let begin = if ctx.attempt() == 0 { History::begin } else { History::begin_again };
            let found = judge(&self.config, begin(history, call, place, self.config.window), idle)?;
            if found.level == Level::Warn {
                return None;
            }
            history.refuse(place);
            Some(found)
        })
    }

    /// Ends a call. Returns the loop that the call has continued, and `true` if the model has not read a warning about it yet.
    fn end(
        &self,
        call: &ToolCallInputs,
        output: &ToolOutput,
        ctx: &RailContext,
    ) -> Result<Option<(Loop, bool)>, LoopError> {
        let was_skipped = ctx.substituted_by().is_some() && ctx.elapsed().is_none();
        let resets = !was_skipped && listed(&self.config.resets, call);
        let ended = Ended { result: canonical::result(output), was_skipped };
        let (call, place, measure) = (canonical::call(call), Place::of(ctx), Progress::of(ctx));
        self.update(ctx, |history| {
            if history.advance(measure) {
                return None;
            }
            if resets {
                history.clear();
                return None;
            }
            history.count_idle();
            let idle = history.idle();
            let found = judge(&self.config, history.end(call, ended, place, self.config.window)?, idle)?;
            let is_new = history.warn_once(&found.calls);
            Some((found, is_new))
        })
    }

    fn finding(&self, found: &Loop) -> Finding {
        let Loop { pattern, count, level, .. } = found;
        let message = match pattern {
            Pattern::Repetition => {
                format!("{count} calls in a row have the same arguments, and there is no new result")
            }
            Pattern::Polling => format!("{count} calls in a row have the same arguments"),
            Pattern::Oscillation { period } => {
                format!("the same {period} calls come {count} times in turn, and there is no new result")
            }
            Pattern::Stagnation => format!("{count} calls in a row were made before with the same result"),
            Pattern::Redundancy => format!(
                "{count} of the last {} calls have the same arguments, and there is no new result",
                self.config.window
            ),
            Pattern::Drift => format!("{count} calls have brought no progress"),
            Pattern::Waiting => format!(
                "{count} calls in a row have the same arguments and no new result, and each came less than {} ms after the \
                 one before",
                self.config.wait_ms
            ),
        };
        let severity = match level {
            Level::Warn => Severity::Low,
            Level::Refuse => Severity::Medium,
            Level::Abort => Severity::High,
        };
        Finding::new(GUARD, pattern.name(), severity, message)
    }
}

/// Advice for the model.
const fn advice(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Redundancy => "Repeat the call only if something has changed since",
        Pattern::Waiting => "Wait longer between the calls, or finish and say what is missing",
        Pattern::Drift => "Try another way, or finish and say what is missing",
        _ => "Do not repeat the call: use what you know, try another way, or finish and say what is missing",
    }
}

/// Returns the warning for the model. The model may have made up the name of the tool, so the warning has only a short part of
/// it on one line.
fn warning(call: &ToolCallInputs, finding: &Finding, pattern: Pattern) -> Message {
    let name: String = call.tool_name.chars().filter(|char| !char.is_control()).take(LONGEST_NAME).collect();
    Message::system(format!("`{name}`: {}. {}.", finding.message, advice(pattern)))
}

fn listed(tools: &[ToolPattern], call: &ToolCallInputs) -> bool {
    if tools.is_empty() {
        return false;
    }
    let name = ToolName::new(&call.tool_name);
    tools.iter().any(|pattern| pattern.catches(&name))
}

#[rail(priority = 20, name = "loops")]
impl Loops {
    /// Begins a step: the next tool calls belong to another answer. This works also in an agent loop that does not number its
    /// steps.
    #[on(PreLlmCall)]
    fn step(&self, ctx: &RailContext) -> Result<(), LoopError> {
        self.update(ctx, History::begin_step)
    }

    #[on(PreToolCall)]
    fn before(&self, call: &ToolCallInputs, ctx: &mut RailContext) -> Result<RailAction, LoopError> {
        if self.config.scope == LoopScope::Session && ctx.session_id().is_none() {
            return Err(ScopeError::NoSession.into());
        }
        if listed(&self.config.exempt, call) {
            return Ok(RailAction::Continue);
        }
        let found = if self.waits(call) { self.begin_waiting(call, ctx)? } else { self.begin(call, ctx)? };
        let Some(found) = found else { return Ok(RailAction::Continue) };
        let finding = self.finding(&found);
        let reason = finding.reason();
        finding.report(ctx);
        Ok(match found.level {
            Level::Abort => RailAction::abort(reason),
            _ => RailAction::skip(format!("{reason}. {}", advice(found.pattern))),
        })
    }

    #[on(PostToolCall)]
    fn after(
        &self,
        call: &ToolCallInputs,
        output: &ToolOutput,
        ctx: &mut RailContext,
    ) -> Result<RailAction, LoopError> {
        if listed(&self.config.exempt, call) {
            return Ok(RailAction::Continue);
        }
        let ended = if self.waits(call) { self.end_waiting(call, output, ctx)? } else { self.end(call, output, ctx)? };
        let Some((found, is_new)) = ended else { return Ok(RailAction::Continue) };
        let finding = self.finding(&found);
        // This happens if other guards have refused the calls, so that the rail before the call did not see them.
        if found.level == Level::Abort {
            let reason = finding.reason();
            finding.report(ctx);
            return Ok(RailAction::abort(reason));
        }
        if is_new {
            ctx.notify_model(warning(call, &finding, found.pattern));
            finding.report(ctx);
        }
        Ok(RailAction::Continue)
    }

    /// Clears the history before another attempt of the run.
    #[on(Start)]
    fn again(&self, ctx: &RailContext) -> Result<(), LoopError> {
        // The history has the calls of the run around an inner one, too.
        if self.config.scope == LoopScope::Run && ctx.attempt() > 0 && !ctx.is_inner_run() {
            self.update(ctx, History::clear)?;
        }
        Ok(())
    }
}

makes!(Loops, LoopsConfig);

needs_only_its_configuration!(Loops, LoopsConfig);
