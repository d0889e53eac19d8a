//! Records that rails publish on the event bus.

use std::any::TypeId;
use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::RailContext;

/// A receiver for the records of a run.
pub(crate) trait Emit: Send + Sync {
    /// Returns whether a subscriber wants the records of this event.
    fn is_wanted(&self, ctx: &RailContext) -> bool;

    fn emit(&self, ctx: &RailContext, name: Cow<'static, str>, data: Value);
}

/// The bus around the guard set of a run.
#[derive(Clone)]
struct Emitter(Arc<dyn Emit>);

/// Returns the type under which a run stores its bus.
pub(super) fn emitter() -> TypeId {
    TypeId::of::<Emitter>()
}

impl RailContext {
    /// Publishes a record on the [event bus](crate::EventBus) around the guard set. Use it for facts that only the rail
    /// knows, such as a cache hit or a risk score.
    ///
    /// The record belongs to the current event of the context. [`EventRecord::emitted`](crate::EventRecord::emitted) is
    /// `name`, and the payload of the record has `data` in the field `data`. If the guard set has no bus, or if the
    /// event has no subscriber, the library publishes nothing and does not serialize `data`.
    ///
    /// If the rail runs [in shadow](crate::Mode::Shadow), the name of the record begins with `shadow.`.
    ///
    /// If there are several buses around each other, only one of them publishes the records that the rails of a run
    /// emit. This is the outermost bus that had a subscriber when the run published its first record.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::EventBus;
    /// use serde_json::json;
    ///
    /// #[rail(on = [PreToolCall])]
    /// fn score(call: &ToolCallInputs, ctx: &RailContext) {
    ///     ctx.emit("risk_score", &json!({ "tool": call.tool_name, "score": 3 }));
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
    /// let bus = EventBus::new(8);
    /// let mut records = bus.subscribe();
    /// let rails = bus.wrap(rail_chain![score]);
    /// rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("shell"), &mut RunContext::new("demo")).await?;
    ///
    /// let record = records.recv().await.unwrap().unwrap();
    /// assert_eq!((record.emitted.as_deref(), record.event), (Some("risk_score"), HookPoint::PreToolCall));
    /// assert_eq!(record.payload["data"]["score"], 3);
    /// # Ok(()) }
    /// ```
    pub fn emit(&self, name: impl Into<Cow<'static, str>>, data: &impl Serialize) {
        let Some(Emitter(bus)) = self.run.get() else { return };
        if bus.is_wanted(self) {
            let data = serde_json::to_value(data).unwrap_or_else(|error| Value::String(format!("not JSON: {error}")));
            let name = name.into();
            bus.emit(self, if self.is_shadow() { format!("shadow.{name}").into() } else { name }, data);
        }
    }

    /// Publishes the records that rails [emit](Self::emit) on this bus, unless the run has a bus already.
    pub(crate) fn emit_on(&self, bus: impl FnOnce() -> Arc<dyn Emit>) {
        if self.run.get::<Emitter>().is_none() {
            self.run.insert(Emitter(bus()));
        }
    }
}
