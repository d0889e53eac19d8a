//! Named JSON values, for rails that share no Rust types, and for state that a session keeps.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::lock::{Lock, Locked};

/// Named JSON values of a run or of a session: `ctx.run.state()` and `ctx.session.state()`.
///
/// A clone is another handle to the same values. Each call is atomic, but two calls together are not: the value can change
/// between a `get` and a `set`. Use [`update`](Self::update) if the new value depends on the old one.
///
/// Inside one program, prefer a type of yours in the [`SharedExtensions`](crate::SharedExtensions). The compiler checks
/// the type, and the value needs no name. The values here can be written to disk, and code that knows only their names
/// can read them.
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
/// # Serialization
///
/// A `HookState` is serialized as one JSON object. A deserialized `HookState` has its own values.
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
    /// Returns a copy of the value with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        self.lock().get(name).cloned()
    }

    /// Sets the value with this name. Returns the previous value.
    pub fn set(&self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let (name, value) = (name.into(), value.into());
        self.lock().insert(name, value)
    }

    /// Removes the value with this name and returns it.
    #[expect(clippy::must_use_candidate, reason = "a value can be taken out to be forgotten")]
    pub fn remove(&self, name: &str) -> Option<Value> {
        self.lock().remove(name)
    }

    /// Changes the value with this name and returns the result of `change`. If there is no value, `change` receives
    /// `null`.
    ///
    /// Other calls on this state wait until `change` returns, so keep `change` short. If `change` panics, the value
    /// keeps the changes made so far.
    ///
    /// # Panics
    /// Panics if the call would wait forever, in the same cases as
    /// [`SharedExtensions::update`](crate::SharedExtensions::update).
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

    /// Changes a value of the type `T`, such as a counter or a struct of totals. If there is no value, `change`
    /// receives the default of `T`.
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
    /// JSON has no infinite numbers and no NaN. serde writes such a float as `null`, and the next call starts from the
    /// default.
    ///
    /// # Errors
    /// Returns an error if the current value is not a `T`, or if the changed value cannot be written as JSON. The value
    /// then stays unchanged.
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

    /// Returns a copy of all values at one moment.
    #[must_use]
    pub fn snapshot(&self) -> Map<String, Value> {
        self.lock().clone()
    }

    /// Replaces all values with these values, for every handle.
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
        // Serializes a copy, because a slow writer must not block other callers.
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
        // A caller that is changing a value may want to print the state.
        let Some(values) = self.values.try_lock() else { return f.debug_struct("HookState").finish_non_exhaustive() };
        f.debug_tuple("HookState").field(&*values).finish()
    }
}
