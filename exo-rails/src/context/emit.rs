//! Records that rails publish by themselves.

use std::any::TypeId;
use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::RailContext;

/// Where the records of a run go.
pub(crate) trait Emit: Send + Sync {
    /// Whether somebody wants the records of this event.
    fn is_wanted(&self, ctx: &RailContext) -> bool;

    fn emit(&self, ctx: &RailContext, name: Cow<'static, str>, data: Value);
}

/// The bus around the guard set of a run.
#[derive(Clone)]
struct Emitter(Arc<dyn Emit>);

/// The type under which a run has its bus.
pub(super) fn emitter() -> TypeId {
    TypeId::of::<Emitter>()
}

impl RailContext {
    /// Publishes a record of the rail's own on the [event bus](crate::EventBus) around the guard set: a cache hit, a risk
    /// score.
    ///
    /// The record is at the event that the context is at. Its [`emitted`](crate::EventRecord::emitted) is the name, and its
    /// payload has the data under `data`. Without a bus, or when nobody has subscribed to the event, nothing is published and
    /// the data is not read. Of several buses around each other, the outermost publishes it.
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
            bus.emit(self, name.into(), data);
        }
    }

    /// Publishes what rails [emit](Self::emit) there, unless there is a place already.
    pub(crate) fn emit_on(&self, bus: impl FnOnce() -> Arc<dyn Emit>) {
        if self.run.get::<Emitter>().is_none() {
            self.run.insert(Emitter(bus()));
        }
    }
}
