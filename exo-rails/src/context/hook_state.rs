//! Values under names, as JSON: what rails share when they do not share types, and what a session keeps.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::lock::{Lock, Locked};

/// JSON values under names, for a run or for a session of several runs: `ctx.run.state()`, `ctx.session.state()`.
///
/// A clone is another handle to the same values. Each call is atomic: a value that is read and then written in two calls
/// may have changed between them, so what depends on what was there is an [`update`](Self::update).
///
/// Inside one program, store your own type in the [`SharedExtensions`](crate::SharedExtensions): the compiler checks it, and it needs no name.
/// What is here can be written to disk, and read by whoever knows its name.
///
/// ```
/// use exo_rails::prelude::*;
///
/// /// Counts the tool calls of the session.
/// #[rail(priority = 80, on = [PreToolCall])]
/// fn count(ctx: &RailContext) -> Result<(), serde_json::Error> {
///     ctx.session.state().update_as("tool_calls", |calls: &mut u64| *calls += 1)
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut ctx = RunContext::new("demo");
/// for tool in ["search", "read_file"] {
///     let _ = rail_chain![count].dispatch::<PreToolCall>(&mut ToolCallInputs::new(tool), &mut ctx).await?;
/// }
/// assert_eq!(ctx.session.state().get("tool_calls"), Some(2.into()));
/// # Ok(()) }
/// ```
///
/// # Keeping it
///
/// It is written and read as one JSON object; a state that is read has values of its own.
///
/// ```
/// use exo_rails::{HookState, SharedExtensions};
/// use serde_json::json;
///
/// let session = SharedExtensions::default();
/// session.state().set("language", "de");
/// let kept = serde_json::to_string(&session.state())?;
/// assert_eq!(kept, r#"{"language":"de"}"#);
///
/// let next = SharedExtensions::default();
/// next.state().restore(serde_json::from_str(&kept)?);
/// assert_eq!(next.state().get("language"), Some(json!("de")));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct HookState {
    values: Arc<Lock<Map<String, Value>>>,
}

impl HookState {
    /// A copy of the value of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        self.lock().get(name).cloned()
    }

    /// Gives a name this value; returns the one that it had.
    pub fn set(&self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let (name, value) = (name.into(), value.into());
        self.lock().insert(name, value)
    }

    /// Takes the value of this name out.
    #[expect(clippy::must_use_candidate, reason = "a value can be taken out to be forgotten")]
    pub fn remove(&self, name: &str) -> Option<Value> {
        self.lock().remove(name)
    }

    /// Changes the value of this name, which starts as `null`, and returns what `change` returns.
    ///
    /// No other change happens meanwhile, so `change` should be short and must not use the same state. When it panics,
    /// the value stays as it left it. It panics where a [store](crate::SharedExtensions::update) does, in the place of a wait
    /// that never ends.
    ///
    /// ```
    /// use exo_rails::HookState;
    /// use serde_json::{Value, json};
    ///
    /// let state = HookState::default();
    /// let seen = |order: &str| state.update("orders", |orders| match orders {
    ///     Value::Array(orders) => orders.push(order.into()),
    ///     other => *other = json!([order]),
    /// });
    /// seen("1042");
    /// seen("1044");
    /// assert_eq!(state.get("orders"), Some(json!(["1042", "1044"])));
    /// ```
    pub fn update<R>(&self, name: impl Into<String>, change: impl FnOnce(&mut Value) -> R) -> R {
        let name = name.into();
        change(self.lock().entry(name).or_insert(Value::Null))
    }

    /// The same for a value that is a `T`, which starts as its default: a number to add to, or a struct of totals.
    ///
    /// ```
    /// use exo_rails::HookState;
    ///
    /// let state = HookState::default();
    /// state.update_as("total_cost", |cost: &mut f64| *cost += 0.5)?;
    /// let total = state.update_as("total_cost", |cost: &mut f64| { *cost += 0.25; *cost })?;
    /// assert_eq!(total, 0.75);
    ///
    /// state.set("total_cost", "a lot");
    /// let error = state.update_as("total_cost", |cost: &mut f64| *cost += 0.5).unwrap_err();
    /// assert_eq!(error.to_string(), "invalid type: string \"a lot\", expected f64");
    /// assert_eq!(state.get("total_cost"), Some("a lot".into()), "it stays as it is");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// JSON has no numbers that are not finite: such a float is written as `null`, and starts anew.
    ///
    /// # Errors
    /// When the value that is there is no `T`, or the changed one cannot be written as JSON. It then stays as it was.
    pub fn update_as<T, R>(&self, name: impl Into<String>, change: impl FnOnce(&mut T) -> R) -> serde_json::Result<R>
    where
        T: Serialize + DeserializeOwned + Default,
    {
        let name = name.into();
        let mut values = self.lock();
        let mut value = match values.get(&name) {
            None | Some(Value::Null) => T::default(),
            Some(value) => T::deserialize(value)?,
        };
        let result = change(&mut value);
        values.insert(name, serde_json::to_value(value)?);
        Ok(result)
    }

    /// A copy of all values, as they are at one time.
    #[must_use]
    pub fn snapshot(&self) -> Map<String, Value> {
        self.lock().clone()
    }

    /// Puts these values in the place of all that is there, for every handle.
    pub fn restore(&self, values: Map<String, Value>) {
        *self.lock() = values;
    }

    fn lock(&self) -> Locked<'_, Map<String, Value>> {
        self.values.lock()
    }
}

impl From<Map<String, Value>> for HookState {
    fn from(values: Map<String, Value>) -> Self {
        Self { values: Arc::new(Lock::new(values)) }
    }
}

impl Serialize for HookState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Whoever writes may be slow, and is not waited for.
        self.snapshot().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for HookState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self::from)
    }
}

impl fmt::Debug for HookState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Whoever is changing a value may want to print the state.
        let Some(values) = self.values.try_lock() else { return f.debug_struct("HookState").finish_non_exhaustive() };
        f.debug_tuple("HookState").field(&*values).finish()
    }
}
