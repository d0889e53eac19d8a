//! The guard.

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::{OperationEnd, RailContext};
use exo_rails_policy::ToolName;
use exo_rails_policy::{ConfigError, OnRefusal, Scope};
use exo_rails_sequence::grammar::Outcome;
use serde::{Deserialize, Serialize};

use super::compiled::{Compiled, END_OF_RUN};
use super::held::{End, Ending, Held, Hold, Part, new_id};
use super::state::{Seen, State};
use super::{GUARD, SequenceConfig};
use crate::config::makes;
use crate::finding::Finding;
use crate::finding::FindingError;
use crate::kit_guard::KitGuard;
use crate::limits::call_id::{CallId, Fallbacks, Operation, was_skipped};
use crate::limits::scope::{ScopeError, ScopeKey};
use crate::store::StoreError;
use crate::store::{Change, GuardStore, StateStore, StateStoreExt};
use crate::vault::{self, Comparable};

/// Refuses tool calls that come in the wrong order, or too often.
///
/// The page "The order of calls" of the book describes the rules, and what counts.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::sequence::{Sequence, SequenceRule};
/// use serde_json::json;
///
/// rail_chain! { struct Guards { sequence: Sequence } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let approved: SequenceRule = "refund only after approve within 1h same order_id".parse()?;
/// let once: SequenceRule = "at most 1 refund same order_id".parse()?;
/// let guards = Guards { sequence: Sequence::builder().rules([approved, once]).build()? };
///
/// let mut ctx = RunContext::new("desk");
/// let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
/// let mut call = async |name, order: u64| {
///     let call = ToolCallInputs::new(name).with_arguments(json!({ "order_id": order }));
///     guards.guard_tool_call(call, &mut ctx, tool).await.map(|output| output.content)
/// };
/// assert!(call("refund", 7).await?.contains("Call `approve` first"));
/// assert_eq!(call("approve", 7).await?, "done");
/// assert_eq!(call("refund", 7).await?, "done");
/// assert!(call("refund", 7).await?.contains("at most 1 are allowed"));
/// assert!(call("refund", 8).await?.contains("Call `approve` first"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Sequence {
    config: SequenceConfig,
    rules: Vec<Compiled>,
    /// The names of the rules. A guard that replaces this one and has the same rules ends the calls that this one has begun.
    id: Arc<str>,
    store: GuardStore,
}

/// The reason why sequence rules could not decide.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SequenceError {
    /// The run has no user or no session.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What the record of the run knows about its calls cannot be read.
    #[error("the saved state `sequence` cannot be read: {0}")]
    Saved(#[from] serde_json::Error),
}

/// What shows whether the store still has the calls of a run: a random text, in the record of the run and in the store.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Witness {
    /// The text. `None` if the rules have nothing to remember yet.
    text: Option<String>,
    /// Whether the store has lost the calls. `None` if nobody has looked since the run has begun or gone on.
    #[serde(skip)]
    is_lost: Option<bool>,
}

impl Sequence {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the rule if two rules have the same name, if a rule names something that is not a tool or a
    /// field, or if the rules let a tool never run.
    pub fn new(config: SequenceConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let rules = config.rules.iter().enumerate().map(|(place, rule)| {
            let compiled = Compiled::new(rule.clone(), config.hold_for_ms);
            compiled.map_err(|error| error.in_key(format_args!("rules[{place}]")))
        });
        let rules = rules.collect::<Result<Vec<Compiled>, _>>()?;
        let names: Vec<_> = rules.iter().map(|rule| &*rule.name).collect();
        let id = names.join("\n").into();
        Ok(Self { config, rules, id, store: GuardStore::default() })
    }

    /// Sets the store of what the rules remember. The default is a store in memory, for this guard alone.
    #[must_use]
    pub fn with_store(mut self, store: impl Into<GuardStore>) -> Self {
        self.store = store.into();
        self
    }

    /// Returns what the rules must know about a call. The first finding is about an argument that a rule cannot use.
    async fn parts(
        &self,
        call: &ToolCallInputs,
        ctx: &RailContext,
    ) -> Result<(Vec<Part>, Option<Finding>), SequenceError> {
        let arguments = Comparable::new(&call.arguments, ctx, Some(self.store.at(ctx))).await?;
        let tool = ToolName::new(&call.tool_name);
        let (mut parts, mut finding) = (Vec::new(), None);
        for (place, rule) in self.rules.iter().enumerate() {
            let Some(roles) = rule.roles(&tool) else { continue };
            match rule.part(place, &arguments, roles, ctx)? {
                Ok(part) => parts.push(part),
                Err(bad) => finding = finding.or_else(|| Some(rule.bad_field(&bad))),
            }
        }
        Ok((parts, finding))
    }

    /// Returns whether the store has lost the calls that the run has made before it went on. For example, a store in memory ends
    /// with its process, and the run goes on in another one.
    async fn has_lost(&self, parts: &[Part], ctx: &RailContext) -> Result<bool, SequenceError> {
        if !parts.iter().any(|part| self.rules[part.rule].is_of_run()) {
            return Ok(false);
        }
        let witness = ctx.run.update_kept(GUARD, |witness: &mut Witness| witness.clone())?;
        if let Some(is_lost) = witness.is_lost {
            return Ok(is_lost);
        }
        let key = Scope::Run.key(GUARD, "", "witness", ctx)?;
        let found = self.store.at(ctx).update(&key, |found: Option<String>| {
            // A new text where the old one is gone, so that it is still missed when the run goes on the next time.
            let text = found.unwrap_or_else(new_id);
            (Change::Put(text.clone(), Some(END_OF_RUN)), text)
        });
        let found = found.await?;
        let is_lost = witness.text.as_ref().is_some_and(|text| *text != found);
        let text = witness.text.or(Some(found));
        ctx.run.update_kept(GUARD, |known: &mut Witness| *known = Witness { text, is_lost: Some(is_lost) })?;
        Ok(is_lost)
    }

    /// Begins a call. Returns the finding of the rule that refuses it.
    async fn begin(&self, call: &ToolCallInputs, ctx: &RailContext) -> Result<Option<Finding>, SequenceError> {
        let (parts, mut finding) = self.parts(call, ctx).await?;
        if parts.is_empty() && finding.is_none() {
            return Ok(None);
        }
        if self.has_lost(&parts, ctx).await? {
            let part = parts.iter().find(|part| part.checked.is_some() && self.rules[part.rule].misses_lost_calls());
            finding = finding.or_else(|| part.map(|part| self.rules[part.rule].lost()));
        }
        let call = CallId::of(Operation::Tool, ctx);
        let before = ctx.run.update(|held: &mut Held| held.take(&self.id, call, ctx.attempt()));
        let (mut id, mut earlier) = before.map_or_else(|| (new_id(), Vec::new()), |hold| (hold.id, hold.parts));
        // A later rail has asked for this attempt before the tool ran.
        for part in earlier.iter_mut().filter(|part| part.is_running && !part.is_unknown) {
            self.leave(part, &id, ctx).await?;
        }
        let has_changed = |part: &Part| part.is_unknown && !parts.iter().any(|later| part.is_the_same_count(later));
        if earlier.iter().any(has_changed) {
            // The earlier attempt and this one are two calls, and the earlier one may have happened.
            id = new_id();
            earlier.retain(|part| !part.is_unknown);
        }
        let mut hold = Hold { call, id, parts, is_refused: false, ending: None };
        for place in 0..hold.parts.len() {
            let part = &mut hold.parts[place];
            // A call that is tried again counts once.
            let same = earlier.iter().find(|earlier| earlier.is_the_same_count(part));
            part.is_counted = same.is_some_and(|same| same.is_counted) && !self.rules[part.rule].memory.only_last;
            part.is_unknown = same.is_some_and(|same| same.is_unknown);
            part.is_running = part.is_unknown;
            if finding.is_none() && !part.is_counted {
                finding = self.enter(part, &hold.id, ctx).await?;
            }
        }
        if finding.is_some() {
            hold.is_refused = true;
            for part in hold.parts.iter_mut().filter(|part| part.is_running && !part.is_unknown) {
                self.leave(part, &hold.id, ctx).await?;
            }
        }
        ctx.run.update(|held: &mut Held| held.keep(&self.id, hold));
        Ok(finding)
    }

    /// Lets a rule check and remember a call that begins.
    async fn enter(&self, part: &mut Part, id: &str, ctx: &RailContext) -> Result<Option<Finding>, StoreError> {
        let rule = &self.rules[part.rule];
        let begins = part.remembered.clone().filter(|_| rule.counts_running());
        let is_one = begins.is_some() && begins == part.checked;
        if let Some(key) = &begins {
            let begun = self.change(rule, key, ctx, |state| {
                let seen = state.without(rule.own(id), rule.memory);
                if is_one && !rule.allows(&seen, part.amount) {
                    return (false, Err(rule.refusal(&seen)));
                }
                if state.is_full() {
                    return (false, Err(rule.full()));
                }
                state.begin(id, part.amount);
                (true, Ok(()))
            });
            if let Err(finding) = begun.await? {
                return Ok(Some(finding));
            }
            part.is_running = true;
        }
        if let Some(key) = part.checked.as_ref().filter(|_| !is_one) {
            let seen: Seen =
                self.change(rule, key, ctx, |state| (false, state.without(rule.own(id), rule.memory))).await?;
            if !rule.allows(&seen, part.amount) {
                return Ok(Some(rule.refusal(&seen)));
            }
        }
        if let Some(key) = &part.forgets {
            part.last = self.change(rule, key, ctx, |state| (false, state.last())).await?;
        }
        Ok(None)
    }

    /// Lets a rule forget a running call.
    async fn leave(&self, part: &mut Part, id: &str, ctx: &RailContext) -> Result<(), StoreError> {
        if let Some(key) = &part.remembered {
            self.change(&self.rules[part.rule], key, ctx, |state| (state.remove(id), ())).await?;
        }
        part.is_running = false;
        Ok(())
    }

    /// Ends a call, or the output in the place of its error.
    async fn end(
        &self,
        call: &ToolCallInputs,
        ending: Ending,
        fallbacks: &Fallbacks,
        ctx: &RailContext,
    ) -> Result<(), SequenceError> {
        let tool = ToolName::new(&call.tool_name);
        if !self.rules.iter().any(|rule| rule.roles(&tool).is_some()) {
            return Ok(());
        }
        let id = CallId::of(Operation::Tool, ctx);
        let (parts, _) = self.parts(call, ctx).await?;
        self.has_lost(&parts, ctx).await?;
        let was_skipped = was_skipped(ctx);
        let (mut hold, before) =
            match ctx.run.update(|held: &mut Held| held.end(&self.id, id, &parts, ending, was_skipped)) {
                End::Begun(hold) => (*hold, None),
                // In shadow, a refused call happens nevertheless.
                End::Again(hold) if !was_skipped && hold.is_refused => return Ok(()),
                End::Again(hold) if !was_skipped => {
                    let before = hold.ending;
                    (*hold, before)
                }
                End::Unseen if !was_skipped => (self.unseen(id, parts, ending, ctx), None),
                // For example, another guard has refused the call before this one.
                End::Again(_) | End::Unseen => {
                    (Hold { call: id, id: new_id(), parts, is_refused: false, ending: Some(ending) }, None)
                }
            };
        let ending = if hold.is_refused { Ending::Refused } else { ending };
        let endings = match before {
            None => Endings { own: Some(ending), further: Vec::new() },
            Some(before) => Endings::in_place_of(before, ending, fallbacks),
        };
        let mut failed = None;
        for part in &mut hold.parts {
            // The other rules must know the end nevertheless. A rule that does not know it counts the call as running.
            failed = failed.or(self.settle_all(part, &hold.id, &endings, ctx).await.err());
        }
        hold.ending = endings.own.or(hold.ending);
        ctx.run.update(|held: &mut Held| held.note(&self.id, &hold));
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Returns what is known about a call whose beginning this guard has not seen. The guard before it may have seen it.
    fn unseen(&self, call: CallId, mut parts: Vec<Part>, ending: Ending, ctx: &RailContext) -> Hold {
        let replaced = ctx.run.update(|held: &mut Held| held.end_replaced(&self.id, call, &parts));
        let Some(replaced) = replaced else {
            return Hold { call, id: new_id(), parts, is_refused: false, ending: Some(ending) };
        };
        for part in &mut parts {
            if let Some(begun) = replaced.parts.iter().find(|begun| part.remembered.is_some() && part.continues(begun))
            {
                (part.is_running, part.is_counted, part.is_unknown) =
                    (begun.is_running, begun.is_counted, begun.is_unknown);
            }
        }
        Hold { call, id: replaced.id, parts, is_refused: replaced.is_refused, ending: Some(ending) }
    }

    /// Lets the rules about the tool of a fallback remember its success. Rules about the first tool know it already.
    async fn end_fallback(&self, call: &ToolCallInputs, tool: &str, ctx: &RailContext) -> Result<(), SequenceError> {
        let first = ToolName::new(&call.tool_name);
        let (parts, _) = self.parts(&ToolCallInputs { tool_name: tool.to_owned(), ..call.clone() }, ctx).await?;
        for mut part in parts.into_iter().filter(|part| self.rules[part.rule].roles(&first).is_none()) {
            // Nothing is known about the beginning, so a call since then must not be forgotten.
            part.forgets = None;
            self.settle(&mut part, &new_id(), Ending::Succeeded, ctx).await?;
        }
        Ok(())
    }

    /// Lets a rule remember or forget a call that has ended, and the tools that have run in its place.
    async fn settle_all(
        &self,
        part: &mut Part,
        id: &str,
        endings: &Endings,
        ctx: &RailContext,
    ) -> Result<(), StoreError> {
        if let Some(ending) = endings.own {
            self.settle(part, id, ending, ctx).await?;
        }
        for ending in &endings.further {
            // The model has made one attempt, and it counts already or is running.
            if self.rules[part.rule].remembers(Outcome::Failed) {
                self.settle(part, id, *ending, ctx).await?;
            } else {
                let mut further = Part { is_running: false, is_counted: false, is_unknown: false, ..part.clone() };
                self.settle(&mut further, &new_id(), *ending, ctx).await?;
            }
        }
        Ok(())
    }

    /// Lets a rule remember or forget a call that has ended.
    async fn settle(&self, part: &mut Part, id: &str, ending: Ending, ctx: &RailContext) -> Result<(), StoreError> {
        let rule = &self.rules[part.rule];
        let makes_possible = !rule.counts_running();
        let remembers = ending.outcome(makes_possible).is_some_and(|outcome| rule.remembers(outcome));
        if let Some(key) = part.remembered.clone().filter(|_| remembers && !part.is_counted) {
            let was_running = part.is_running;
            let end = if rule.memory.only_last { new_id() } else { String::new() };
            self.change(rule, &key, ctx, |state| {
                let is_new = state.remove(id) || !was_running || rule.memory.only_last;
                // A call that has run for too long counts as ended already.
                if is_new || state.remove_late(id, rule.memory) {
                    state.end(id, &end, part.amount, rule.memory);
                }
                (true, ())
            })
            .await?;
            (part.is_counted, part.is_running, part.is_unknown) = (true, false, false);
        } else if ending == Ending::Unknown {
            self.stay(part, id, ctx).await?;
        } else if part.is_running && !part.is_unknown {
            self.leave(part, id, ctx).await?;
        }
        if let (Some(key), Some(last)) = (&part.forgets, &part.last)
            && ending.outcome(true).is_some_and(|outcome| rule.forgets_after(outcome))
        {
            self.change(rule, key, ctx, |state| {
                state.forget_until(last);
                (true, ())
            })
            .await?;
        }
        Ok(())
    }

    /// Lets a rule count a call whose end nobody knows as a running one.
    async fn stay(&self, part: &mut Part, id: &str, ctx: &RailContext) -> Result<(), StoreError> {
        let rule = &self.rules[part.rule];
        let Some(key) = part.remembered.clone().filter(|_| rule.counts_running() && !part.is_counted) else {
            return Ok(());
        };
        if !part.is_running {
            self.change(rule, &key, ctx, |state| {
                state.begin(id, part.amount);
                (true, ())
            })
            .await?;
        }
        (part.is_running, part.is_unknown) = (true, true);
        Ok(())
    }

    /// Reads a record at this time, and writes it if `change` says so.
    async fn change<T: Send>(
        &self,
        rule: &Compiled,
        key: &str,
        ctx: &RailContext,
        mut change: impl FnMut(&mut State) -> (bool, T) + Send,
    ) -> Result<T, StoreError> {
        let store: &Arc<dyn StateStore> = self.store.at(ctx);
        store
            .update_aged(key, |found: Option<(State, _)>| {
                let (mut state, age) = found.unwrap_or_default();
                state.advance(age, rule.memory);
                let (is_changed, result) = change(&mut state);
                let change = match is_changed {
                    false => Change::Keep,
                    true if state.is_empty() => Change::Remove,
                    true => Change::Put(state, rule.expires_in()),
                };
                (change, result)
            })
            .await
    }
}

#[rail(priority = 38, name = "sequence")]
impl Sequence {
    #[on(PreToolCall)]
    async fn before_tool(&self, call: &ToolCallInputs, ctx: &mut RailContext) -> Result<RailAction, SequenceError> {
        let Some(finding) = self.begin(call, ctx).await? else { return Ok(RailAction::Continue) };
        let finding = vault::hidden(finding, ctx);
        let reason = finding.reason();
        finding.report(ctx);
        Ok(match self.config.on_refusal {
            OnRefusal::Skip => RailAction::skip(reason),
            OnRefusal::Abort => RailAction::abort(reason),
        })
    }

    #[on(PostToolCall, always)]
    async fn after_tool(
        &self,
        call: &ToolCallInputs,
        output: &ToolOutput,
        ctx: &RailContext,
    ) -> Result<(), SequenceError> {
        let ending = match ctx.operation_end() {
            _ if was_skipped(ctx) => Ending::Refused,
            Some(OperationEnd::Succeeded) => Ending::Succeeded,
            Some(OperationEnd::Replaced) => Ending::Replaced,
            Some(OperationEnd::Failed) => Ending::Failed,
            Some(OperationEnd::Unknown) => Ending::Unknown,
            // The program has dispatched the event itself, or a rail around the call has refused it.
            _ if output.error_kind == Some(OperationErrorKind::Timeout) => Ending::Unknown,
            _ if output.is_error || output.error_kind.is_some() => Ending::Failed,
            _ => Ending::Succeeded,
        };
        let fallbacks = Fallbacks::of(Operation::Tool, ctx);
        // What the fallbacks of an earlier call with the same context have done does not count.
        let used = fallbacks.used.as_ref().filter(|_| fallbacks.has_succeeded && ctx.substituted_by().is_some());
        self.end(call, ending, &fallbacks, ctx).await?;
        match used {
            Some(tool) => self.end_fallback(call, tool, ctx).await,
            None => Ok(()),
        }
    }

    #[on(ToolError, always)]
    async fn tool_failed(
        &self,
        call: &ToolCallInputs,
        error: &OperationError,
        ctx: &RailContext,
    ) -> Result<(), SequenceError> {
        Fallbacks::forget(Operation::Tool, ctx);
        let ending = match ctx.operation_end() {
            // A rail around the call has replaced the output by an error.
            Some(OperationEnd::Succeeded) => Ending::Succeeded,
            Some(OperationEnd::Unknown) => Ending::Unknown,
            _ if error.kind == OperationErrorKind::Timeout => Ending::Unknown,
            Some(OperationEnd::NotStarted) if FindingError::is_in(error) => Ending::Refused,
            _ => Ending::Failed,
        };
        self.end(call, ending, &Fallbacks::default(), ctx).await
    }
}

/// The endings of a call and of the tools that have run in its place.
struct Endings {
    /// The end of the call. `None` if it is known already.
    own: Option<Ending>,
    /// The ends of further tools.
    further: Vec<Ending>,
}

impl Endings {
    /// Returns the endings if an output has taken the place of an error. `before` is the end with the error.
    fn in_place_of(before: Ending, output: Ending, fallbacks: &Fallbacks) -> Self {
        let unknown = (0..fallbacks.unknown).map(|_| Ending::Unknown);
        let success = match output {
            _ if fallbacks.has_succeeded => Some(Ending::Succeeded),
            // Another rail has made the output. After a success, the output only says so.
            Ending::Replaced => Some(Ending::Replaced),
            _ => None,
        };
        let mut further: Vec<_> = unknown.chain(success).collect();
        // Without an effect of the first tool, the call is that of the next one.
        let own = if before.may_have_happened() { None } else { further.pop() };
        Self { own, further }
    }
}

makes!(Sequence, SequenceConfig);

impl KitGuard for Sequence {
    type Config = SequenceConfig;
    type Needs = GuardStore;

    fn make(config: SequenceConfig, store: GuardStore) -> Result<Self, ConfigError> {
        Ok(Self::new(config)?.with_store(store))
    }
}
