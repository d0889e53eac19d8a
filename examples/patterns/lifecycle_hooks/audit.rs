//! Audit logging: one line of JSON for each event, including events that another rail stops.

use exo_rails::prelude::*;
use serde_json::{Map, Value, json};

/// The target of the lines: a file, a log, or a list in a test.
type Sink = Box<dyn Fn(&str) + Send + Sync>;

/// Logs all events. The rail only observes, so the run continues if the rail cannot write.
pub(crate) struct AuditLog {
    sink: Sink,
}

impl AuditLog {
    pub(crate) fn new(sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { sink: Box::new(sink) }
    }
}

// The rail runs last and always. So the log also has events that an earlier rail stopped, with this rail and its reason.
#[rail(name = "audit_log", priority = 90)]
impl AuditLog {
    #[on(
        SessionStart,
        Start,
        PreToolCall,
        PostToolCall,
        ToolError,
        LlmError,
        Finished,
        events::Error,
        SessionEnd,
        always
    )]
    fn record(&self, inputs: &Inputs<'_>, ctx: &RailContext) {
        let mut line = Map::new();
        line.insert("event".into(), json!(ctx.event()));
        line.insert("session".into(), json!(ctx.session_id()));
        line.insert("turn".into(), json!(ctx.turn()));
        line.extend(details(inputs));
        if let Some(stopped) = ctx.stopped() {
            line.insert("stopped".into(), json!(stopped));
        }
        (self.sink)(&Value::Object(line).to_string());
    }
}

/// Describes the payload of the event. Arguments and outputs may contain secrets, so the log has only their sizes.
fn details(inputs: &Inputs<'_>) -> Map<String, Value> {
    let details = match inputs {
        Inputs::PreToolCall(call) => json!({ "tool": call.tool_name, "bytes": call.arguments.to_string().len() }),
        Inputs::PostToolCall(call, output) => json!({ "tool": call.tool_name, "bytes": output.content.len() }),
        Inputs::ToolError(call, error) => json!({ "tool": call.tool_name, "error": error.to_string() }),
        Inputs::LlmError(_, error) => json!({ "error": error.to_string() }),
        Inputs::Finished(_, output) => json!({ "steps": output.steps }),
        Inputs::Error(_, error) => json!({ "error": error.to_string() }),
        _ => json!({}),
    };
    if let Value::Object(details) = details { details } else { Map::new() }
}
