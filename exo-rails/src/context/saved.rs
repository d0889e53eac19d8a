//! What is kept of the context of a run that is suspended.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::hook_state::HookState;
use super::notices::Notices;
use super::questions::Answers;
use super::usage::Used;
use super::{RunContext, SharedExtensions};
use crate::error::Question;
use crate::message::{Message, Usage};

/// The context of a suspended run. [`RunContext::save`] makes it, and [`RunContext::restore`] continues the run with it.
///
/// It can be written as JSON. Of the values in [`ctx.run`](crate::RunScope::run), it has those in the
/// [state](SharedExtensions::state), and those whose types are [kept](KeptValues). The values of the session belong to the
/// session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SavedContext {
    /// The name of the agent.
    pub agent: String,
    /// The name of the run.
    pub run_id: String,
    /// The session, when the run belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Which run of its session it is.
    #[serde(default)]
    pub turn: u32,
    /// What the model calls of the run have cost.
    #[serde(default)]
    pub usage: Usage,
    /// The values in the [state](SharedExtensions::state) of the run.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub state: Map<String, Value>,
    /// The kept values, under their names.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub values: Map<String, Value>,
    /// The types of the values that are not kept. The run continues without these values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// The messages that wait for the [next model call](crate::RunScope::notify_model).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Message>,
    /// The questions that have an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<(Question, Value)>,
    /// How many retries the run has left, when they are [limited](RunContext::with_max_retries).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries_left: Option<u32>,
}

/// Why a run cannot continue in a context.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The context belongs to another agent.
    #[error("the run is one of the agent `{saved}`, not of `{given}`")]
    Agent {
        /// The agent of the run.
        saved: String,
        /// The agent of the context.
        given: String,
    },
    /// The run belongs to a session, and the context does not. What the rails count for the session would begin anew.
    #[error("the run belongs to the session `{saved}`: resume it in a context of that session")]
    Session {
        /// The session of the run.
        saved: String,
    },
    /// A kept value cannot be read.
    #[error("the value `{name}` of the run cannot be read: {source}")]
    Value {
        /// Its name.
        name: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// The types of the values in [`ctx.run`](crate::RunScope::run) that are saved with a suspended run, each under a name.
///
/// A rail that counts in a type of its own loses the count when the program ends, unless the type is kept: a limit of tool calls
/// would begin anew with each suspension. [`SavedContext::lost`] lists the types that are not kept.
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

#[derive(Clone)]
struct KeptValue {
    name: Cow<'static, str>,
    type_id: TypeId,
    save: fn(&SharedExtensions) -> Option<serde_json::Result<Value>>,
    restore: fn(&SharedExtensions, Value) -> serde_json::Result<()>,
}

impl KeptValues {
    /// No types.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The same, with values of this type under this name. A type or a name that is there already is replaced.
    #[must_use]
    pub fn keep<T>(mut self, name: impl Into<Cow<'static, str>>) -> Self
    where
        T: Any + Send + Sync + Serialize + DeserializeOwned,
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

    /// Saves the kept values that are here: for a session, whose values [`RunContext::save`] does not save.
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
    /// When a value cannot be written as JSON.
    pub fn save(&self, values: &SharedExtensions) -> serde_json::Result<Map<String, Value>> {
        let saved = self.0.iter().filter_map(|kept| Some((kept.name.to_string(), (kept.save)(values)?)));
        saved.map(|(name, value)| Ok((name, value?))).collect()
    }

    /// Puts saved values back. Values under names that are not kept are left out.
    ///
    /// # Errors
    /// When a value cannot be read. Those before it are back.
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
    /// Saves what the run needs of this context to continue later.
    ///
    /// # Errors
    /// When a kept value cannot be written as JSON.
    pub fn save(&self, kept: &KeptValues) -> serde_json::Result<SavedContext> {
        // What is saved by itself, and what the program makes anew.
        let own = [
            TypeId::of::<HookState>(),
            TypeId::of::<Notices>(),
            TypeId::of::<Answers>(),
            TypeId::of::<Used>(),
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
            lost: self.run.type_names(|type_id| !own.contains(&type_id) && !kept.has(type_id)),
            notices: self.run.read(|Notices(notices)| notices.clone()).unwrap_or_default(),
            answers: self.run.get().map(|Answers(answers)| answers).unwrap_or_default(),
            retries_left: self.retries_left(),
        })
    }

    /// Continues a saved run in this context: it takes the name, the turn, the values and the answers of the run. It keeps its
    /// own session and cancellation token.
    ///
    /// [`is_resumed`](crate::RunScope::is_resumed) is then true.
    ///
    /// # Errors
    /// When the run belongs to another agent or session, and when a kept value cannot be read. Do not use the context then.
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
        values.insert(Used(saved.usage));
        values.insert(Notices(saved.notices));
        values.insert(Answers(saved.answers));
        Ok(())
    }
}
