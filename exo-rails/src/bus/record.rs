//! The records of an event bus.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::bus::payload::RecordPayload;
use crate::context::StoppedBy;
use crate::point::{HookPoint, RailName};

/// A record of one event, which an [`EventBus`](crate::EventBus) publishes after the rails have decided.
///
/// Serialized, it is an object with these fields. There, `at` is in milliseconds since 1970, and `took` in
/// microseconds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EventRecord {
    /// The number of the record in its bus, from 0. Events without subscribers get no number.
    pub number: u64,
    /// The time when the rails of the event started, or when a rail emitted the record.
    pub at: SystemTime,
    /// The time that the rails of the event took.
    pub took: Duration,
    /// The name of the agent.
    pub agent: Arc<str>,
    /// The name of the run.
    pub run_id: Arc<str>,
    /// The name of the session, if the run belongs to a session.
    pub session_id: Option<Arc<str>>,
    /// The number of the run in its session, from 0.
    pub turn: u32,
    /// The step of the agent's loop, from 0.
    pub step: u32,
    /// The number of retries of the operation so far.
    pub attempt: u32,
    /// The event.
    pub event: HookPoint,
    /// The name of the record, if a rail has published it itself: see [`RailContext::emit`](crate::RailContext::emit).
    pub emitted: Option<Cow<'static, str>>,
    /// The payload of the event with the changes of the rails: a JSON object with the parts in the table. It is `null`
    /// if a rail has [stopped](Self::stopped) the event: it skipped, asked for a retry, aborted, suspended the run or
    /// faulted.
    ///
    /// `run`, `history`, `request` and `call` are the inputs of an operation. An event after the operation has them
    /// only if the rails of `Start`, `PreCompaction`, `PreLlmCall` or `PreToolCall` have continued, in the same context
    /// and in this attempt. Otherwise, the record leaves them out.
    ///
    /// | event | parts |
    /// |---|---|
    /// | `SessionStart`, `SessionEnd` | `session` |
    /// | `Start` | `run` |
    /// | `MemoryRecalled` | `query`, and the `memory` that the model reads |
    /// | `ContextAssembled`, `ContextOverflow` | `context` |
    /// | `PreCompaction`, `PostCompaction` | `history`, and after it `compacted`, which is the history if a rail has skipped the compaction without a substitute |
    /// | `PreLlmCall`, `PostLlmCall`, `LlmError` | `request`, and after it `response` or `error` |
    /// | `LlmChunk` | `text` and `is_last`. The request is not part of it, because each piece would repeat it. The text is the text that leaves the window, without held back text. After a skip, the text leaves, so the record has it |
    /// | `PreToolCall`, `PostToolCall` | `call`, and after it `output` |
    /// | `ToolError` | `call` and `error_kind`. The text of the error is not part of it, because it becomes the output, which the rails of `PostToolCall` may redact |
    /// | `Finished`, `Error` | `run`, and `output` or `error` |
    /// | `MemoryStored` | `entry` |
    /// | `Suspended` | `run`, and the `question` with the rail that asks it |
    /// | `Dropped` | `dropped`: what was dropped, and the tokens that it used |
    /// | a custom event | `debug`, the whole payload in its `Debug` form. At an event after a custom operation, only if the rails before the operation have continued |
    ///
    /// An `error` is its text. A record that a rail has [emitted](Self::emitted) has `data` only.
    pub payload: RecordPayload,
    /// How a rail stopped the event: it skipped, asked for a retry, aborted or faulted. `None` if all rails continued.
    pub stopped: Option<StoppedBy>,
    /// At an event after an operation, the rail whose substitute replaces the result.
    pub substituted_by: Option<RailName>,
}

impl Serialize for EventRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let millis = self.at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
        let mut fields = serializer.serialize_struct("EventRecord", 14)?;
        fields.serialize_field("number", &self.number)?;
        fields.serialize_field("at", &u64::try_from(millis).unwrap_or(u64::MAX))?;
        fields.serialize_field("took", &u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX))?;
        fields.serialize_field("agent", &*self.agent)?;
        fields.serialize_field("run_id", &*self.run_id)?;
        fields.serialize_field("session_id", &self.session_id.as_deref())?;
        fields.serialize_field("turn", &self.turn)?;
        fields.serialize_field("step", &self.step)?;
        fields.serialize_field("attempt", &self.attempt)?;
        fields.serialize_field("event", &self.event)?;
        fields.serialize_field("emitted", &self.emitted)?;
        fields.serialize_field("payload", &self.payload)?;
        fields.serialize_field("stopped", &self.stopped)?;
        fields.serialize_field("substituted_by", &self.substituted_by)?;
        fields.end()
    }
}
