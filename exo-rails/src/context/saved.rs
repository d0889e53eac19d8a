//! The saved context of a suspended run.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::extensions::Waiting;
use super::hook_state::HookState;
use super::notices::Notices;
use super::questions::Answers;
use super::shadow::ShadowValues;
use super::usage::Used;
use super::{RunContext, SharedExtensions};
use crate::error::Question;
use crate::message::{Message, Usage};

/// The context of a suspended run. [`RunContext::save`] makes it, and [`RunContext::restore`] continues the run with
/// it.
///
/// It can be written as JSON. It contains three kinds of values from [`ctx.run`](crate::RunScope::run): the values in the
/// [state](SharedExtensions::state), the values whose types are [kept](KeptValues), and the values that rails
/// [keep themselves](SharedExtensions::update_kept). It does not contain the values of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SavedContext {
    /// The name of the agent.
    pub agent: String,
    /// The name of the run.
    pub run_id: String,
    /// The name of the session, if the run belongs to a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The number of the run in its session.
    #[serde(default)]
    pub turn: u32,
    /// The tokens that the model calls of the run have used.
    #[serde(default)]
    pub usage: Usage,
    /// The values in the [state](SharedExtensions::state) of the run.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub state: Map<String, Value>,
    /// The kept values, under their names.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub values: Map<String, Value>,
    /// The values that rails [keep themselves](SharedExtensions::update_kept), under their names.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub kept: Map<String, Value>,
    /// The types of the values that are not kept. The run continues without these values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// The messages that wait for the [next model call](crate::RunScope::notify_model).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Message>,
    /// The answered questions, with their answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<(Question, Value)>,
    /// The number of retries that the run has left, if it has a [limit](RunContext::with_max_retries).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries_left: Option<u32>,
}

/// The reason why a run cannot continue in a context.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The context belongs to another agent.
    #[error("the run belongs to the agent `{saved}`, not to `{given}`")]
    Agent {
        /// The agent of the run.
        saved: String,
        /// The agent of the context.
        given: String,
    },
    /// The run belongs to a session, and the context to no session or to another one. The values that rails keep in the
    /// session would be missing.
    #[error("the run belongs to the session `{saved}`: resume it in a context of that session")]
    Session {
        /// The session of the run.
        saved: String,
    },
    /// A kept value cannot be read.
    #[error("the value `{name}` of the run cannot be read: {source}")]
    Value {
        /// The name of the value.
        name: String,
        /// The error of the deserialization.
        source: serde_json::Error,
    },
}

/// The types of the values in [`ctx.run`](crate::RunScope::run) that are saved with a suspended run, each under a name.
///
/// A rail that counts in a custom type loses its count when the program ends, unless the type is kept. A limit of tool
/// calls would then start again with each suspension. [`SavedContext::lost`] lists the types that are not kept.
///
/// ```
/// use exo_rails::{KeptValues, RunContext};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Default, Serialize, Deserialize)]
/// struct ToolCalls(u32);
///
/// let kept = KeptValues::new().keep::<ToolCalls>("tool_calls");
/// let ctx = RunContext::new("support");
/// ctx.run.update(|calls: &mut ToolCalls| calls.0 += 3);
/// let saved = serde_json::to_string(&ctx.save(&kept)?)?;
///
/// let mut ctx = RunContext::new("support");
/// ctx.restore(serde_json::from_str(&saved)?, &kept)?;
/// assert_eq!(ctx.run.update(|calls: &mut ToolCalls| calls.0), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct KeptValues(Vec<KeptValue>);

/// Values that [`KeptValues`] can write as JSON and read from it. It is one trait, so that rustc reports one error for a type that has
/// neither of the traits of serde.
#[diagnostic::on_unimplemented(
    message = "the library writes kept values as JSON and reads them from it: `{Self}` does not support both",
    label = "derive both: `#[derive(Serialize, Deserialize)]`",
    note = "the derives are from `serde`: `use serde::{{Deserialize, Serialize}}`",
    note = "the value must own its data: write `String`, not `&str`"
)]
#[doc(hidden)]
pub trait Kept: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Kept for T {}

#[derive(Clone)]
struct KeptValue {
    name: Cow<'static, str>,
    type_id: TypeId,
    save: fn(&SharedExtensions) -> Option<serde_json::Result<Value>>,
    restore: fn(&SharedExtensions, Value) -> serde_json::Result<()>,
}

impl KeptValues {
    /// Makes an empty list of types.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds the type `T` under this name. The new entry replaces an entry with the same type or name.
    #[must_use]
    pub fn keep<T>(mut self, name: impl Into<Cow<'static, str>>) -> Self
    where
        T: Any + Send + Sync + Kept,
    {
        let (name, type_id) = (name.into(), TypeId::of::<T>());
        self.0.retain(|kept| kept.name != name && kept.type_id != type_id);
        self.0.push(KeptValue {
            name,
            type_id,
            save: |values| values.read(|value: &T| serde_json::to_value(value)),
            restore: |values, value| {
                values.insert(T::deserialize(value)?);
                Ok(())
            },
        });
        self
    }

    /// Writes the kept values of a store. Use it for the values of a session, which [`RunContext::save`] does not save.
    ///
    /// ```
    /// use exo_rails::{KeptValues, SharedExtensions};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Default, Serialize, Deserialize)]
    /// struct Spent { tokens: u64 }
    ///
    /// let (kept, session) = (KeptValues::new().keep::<Spent>("spent"), SharedExtensions::default());
    /// session.update(|spent: &mut Spent| spent.tokens += 40);
    /// let saved = kept.save(&session)?;
    ///
    /// let session = SharedExtensions::default();
    /// kept.restore(&session, saved)?;
    /// assert_eq!(session.update(|spent: &mut Spent| spent.tokens), 40);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a value cannot be written as JSON.
    pub fn save(&self, values: &SharedExtensions) -> serde_json::Result<Map<String, Value>> {
        let saved = self.0.iter().filter_map(|kept| Some((kept.name.to_string(), (kept.save)(values)?)));
        saved.map(|(name, value)| Ok((name, value?))).collect()
    }

    /// Puts saved values into a store. Skips values under names that are not kept.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read. The values before it are then in the store already.
    pub fn restore(&self, values: &SharedExtensions, mut saved: Map<String, Value>) -> Result<(), RestoreError> {
        for kept in &self.0 {
            if let Some(value) = saved.remove(&*kept.name) {
                let failed = |source| RestoreError::Value { name: kept.name.to_string(), source };
                (kept.restore)(values, value).map_err(failed)?;
            }
        }
        Ok(())
    }

    fn has(&self, type_id: TypeId) -> bool {
        self.0.iter().any(|kept| kept.type_id == type_id)
    }
}

impl fmt::Debug for KeptValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|kept| &kept.name)).finish()
    }
}

impl RunContext {
    /// Saves the parts of this context that the run needs to continue later.
    ///
    /// # Errors
    /// Returns an error if a kept value cannot be written as JSON.
    pub fn save(&self, kept: &KeptValues) -> serde_json::Result<SavedContext> {
        // The context saves these types itself, or the program makes them again.
        let own = [
            TypeId::of::<HookState>(),
            TypeId::of::<Notices>(),
            TypeId::of::<Answers>(),
            TypeId::of::<Used>(),
            TypeId::of::<ShadowValues>(),
            TypeId::of::<Waiting>(),
            super::emit::emitter(),
        ];
        Ok(SavedContext {
            agent: self.agent().to_owned(),
            run_id: self.run_id().to_owned(),
            session_id: self.session_id().map(str::to_owned),
            turn: self.turn(),
            usage: self.usage(),
            state: self.run.state().snapshot(),
            values: kept.save(&self.run)?,
            kept: self.run.kept(|type_id| kept.has(type_id))?,
            lost: self.run.type_names(|type_id| !own.contains(&type_id) && !kept.has(type_id)),
            notices: self.run.read(|Notices(notices)| notices.clone()).unwrap_or_default(),
            answers: self.run.read(|answers: &Answers| answers.saved(&self.operation)).unwrap_or_default(),
            retries_left: self.retries_left(),
        })
    }

    /// Continues a saved run in this context. The context takes the name, the turn, the values, the usage, the messages
    /// and the answers of the run. If the context [limits](Self::with_max_retries) retries, it allows at most the
    /// retries that the run had left. It keeps its own session and cancellation token.
    ///
    /// Afterwards, [`is_resumed`](crate::RunScope::is_resumed) returns `true`.
    ///
    /// # Errors
    /// Returns an error if the run belongs to another agent or session, or if a kept value cannot be read. Do not use
    /// the context after an error.
    pub fn restore(&mut self, saved: SavedContext, kept: &KeptValues) -> Result<(), RestoreError> {
        if saved.agent != self.agent() {
            return Err(RestoreError::Agent { saved: saved.agent, given: self.agent().to_owned() });
        }
        if let Some(session) = saved.session_id.filter(|session| Some(session.as_str()) != self.session_id()) {
            return Err(RestoreError::Session { saved: session });
        }
        let scope = Arc::make_mut(&mut self.rails.scope);
        scope.run_id = saved.run_id.into();
        scope.turn = saved.turn;
        scope.is_resumed = true;
        if let (Some(budget), Some(left)) = (&scope.retry_budget, saved.retries_left) {
            budget.limit(left);
        }
        let values = &scope.run;
        values.state().restore(saved.state);
        kept.restore(values, saved.values)?;
        values.insert(Waiting(saved.kept));
        values.insert(Used(saved.usage));
        values.insert(Notices(saved.notices));
        values.insert(Answers::restored(saved.answers));
        Ok(())
    }
}
