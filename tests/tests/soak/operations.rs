//! What the rails guard: a model, a tool and a compactor that draw their results.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::message::{Message, Role, ToolCall};
use exo_rails::prelude::*;
use exo_rails::{CompactionInputs, CompactionOutput, ModelDelta, RunScope, Stream, ToolCallDelta};
use exo_rails_agent::{KeepNewest, Model};
use futures_util::stream;
use serde_json::{Map, Value, json};
use tests::yields;
use tokio::time::sleep;

use crate::rails::ON_PURPOSE;
use crate::random::Random;
use crate::trace::{Line, Live, Run, What};

/// What a model writes in the place of fields, and nobody may take for them.
const FORGED: &str = "forged";

/// What must not reach anybody.
pub(crate) const SECRET: &str = "secret";

/// Waits for a moment: a real one, or that of a few polls.
pub(crate) async fn wait(random: &mut Random) {
    match random.below(3) {
        0 => sleep(Duration::from_micros(random.below(2000).into())).await,
        1 => tokio::task::yield_now().await,
        _ => yields(1 + random.below(3) as usize).await,
    }
}

/// The number under this name in the `extra` of some inputs.
pub(crate) fn number_in(extra: &Map<String, Value>, name: &str) -> Option<u64> {
    extra.get(name)?.as_u64()
}

/// An operation under way; it records its end, also when it is dropped.
struct Doing {
    run: Arc<Run>,
    line: Line,
    has_ended: bool,
    _live: Live,
}

impl Doing {
    fn begin(scope: &RunScope, line: Line, extra: &Map<String, Value>) -> (Self, Random) {
        let run = Run::of(scope);
        let (stamp, changed) = (number_in(extra, "stamp"), number_in(extra, "changed"));
        let random = run.record(line, What::OperationBegins { stamp, changed });
        let counted = Live::new(&run.live);
        (Self { run, line, has_ended: false, _live: counted }, random)
    }

    fn end(&mut self) {
        self.has_ended = true;
        self.run.record(self.line, What::OperationEnds { failure: None });
    }

    fn fail(&mut self) -> OperationError {
        format!("{FAILED} {}", self.failed()).into()
    }

    /// Records that it fails, with this number.
    fn failed(&mut self) -> u64 {
        self.has_ended = true;
        let number = self.run.number();
        self.run.record(self.line, What::OperationEnds { failure: Some(number) });
        number
    }

    fn fails(&self, random: &mut Random) -> bool {
        random.permille(20 + self.run.plan.temper)
    }
}

impl Drop for Doing {
    fn drop(&mut self) {
        if !self.has_ended {
            self.run.record(self.line, What::OperationDropped);
        }
    }
}

/// The tool that the model asks for, and the one that a rail makes of it.
pub(crate) const TOOLS: [&str; 2] = ["work", "rest"];

/// How the error of a tool that panicked begins, and that of an operation that fails: numbers follow.
pub(crate) const PANICKED: &str = "the tool panicked: panic";
pub(crate) const FAILED: &str = "operation";

/// Waits as long as it is not cancelled, or does not care. It panics instead of failing now and then.
pub(crate) fn tool(name: &'static str) -> Tool {
    Tool::with_permit(name, "Works.", json!({ "type": "object" }), move |call| async move {
        let line = Line::Tool(call.id.parse().unwrap());
        let (mut doing, mut random) = Doing::begin(call.scope(), line, &call.extra);
        if call.tool_name != name {
            doing.run.record(line, What::Wrong("a call of another tool"));
        }
        if name != TOOLS[0] {
            doing.run.record(Line::Outside, What::Drawn("renamed"));
        }
        let token = call.scope().cancellation().cloned().unwrap_or_default();
        if random.permille(500) {
            token.run_until_cancelled(wait(&mut random)).await;
        } else {
            wait(&mut random).await;
        }
        if doing.fails(&mut random) {
            if random.permille(300) {
                doing.run.record(Line::Outside, What::Drawn("tool panics"));
                panic!("{ON_PURPOSE} {}", doing.failed());
            }
            return Err(doing.fail());
        }
        doing.end();
        Ok(format!("worked on {}", call.id))
    })
}

/// Keeps the newest, or fails.
pub(crate) async fn compact(history: Permit<CompactionInputs>) -> Result<CompactionOutput, OperationError> {
    let (mut doing, mut random) = Doing::begin(history.scope(), Line::Main, &history.extra);
    wait(&mut random).await;
    if doing.fails(&mut random) && random.permille(300) {
        return Err(doing.fail());
    }
    doing.end();
    let messages = KeepNewest::default().of(&history.messages, 20);
    let removed = history.messages.len() - messages.len();
    Ok(CompactionOutput { messages, removed, ..CompactionOutput::default() })
}

/// Asks for tools until it has had enough of them, and says a secret now and then.
#[derive(Clone, Debug)]
pub(crate) struct Talker;

/// Texts with a mark in each that no other has. A secret may begin in one and end in the next.
fn pieces(run: &Run, random: &mut Random) -> Vec<String> {
    let mut rest = "";
    let count = 1 + random.below(8);
    let piece = |_| {
        let cut = random.below(7) as usize;
        let before = std::mem::replace(&mut rest, &SECRET[cut..]);
        let whole = if random.permille(200) { SECRET } else { "" };
        format!("{before} <{}> {whole} {}", run.number(), &SECRET[..cut])
    };
    (0..count).map(piece).collect()
}

/// Fields in the names of others, as a server may send them.
fn forged() -> Map<String, Value> {
    let names = ["message", "usage", "finish_reason", "role", "content", "tool_calls", "tool_call_id"];
    names.into_iter().map(|name| (name.to_owned(), FORGED.into())).collect()
}

/// Whether the record of an answer says what the answer is.
pub(crate) fn is_recorded(response: &ModelResponse) -> bool {
    let record = json!(response);
    let message = &record["message"];
    let said = message["content"].as_str().unwrap_or_default() == response.message.text();
    let calls = message["tool_calls"].as_array().map_or(0, Vec::len) == response.message.tool_calls.len();
    let others = [&record["usage"], &record["finish_reason"], &message["role"], &message["tool_call_id"]];
    said && calls && others.iter().all(|field| **field != FORGED)
}

fn calls(run: &Run, step: u32, random: &mut Random) -> Vec<ToolCall> {
    let count = if step + 1 < run.plan.steps { 1 + random.below(run.plan.tools) } else { 0 };
    (0..count).map(|_| ToolCall::new(run.number().to_string(), "work", &json!({}))).collect()
}

impl Model for Talker {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let (mut doing, mut random) = Doing::begin(request.scope(), Line::Main, &request.extra);
        if random.permille(700) {
            wait(&mut random).await;
        }
        if doing.fails(&mut random) {
            return Err(doing.fail());
        }
        let text = pieces(&doing.run, &mut random).concat();
        let tool_calls = calls(&doing.run, request.context().step(), &mut random);
        doing.end();
        let mut message =
            Message { role: Role::Assistant, content: Some(text.into()), tool_calls, ..Message::default() };
        let mut response = ModelResponse::default();
        if random.permille(200) {
            doing.run.record(Line::Outside, What::Drawn("hostile extras"));
            (message.extra, response.extra) = (forged(), forged());
        }
        Ok(ModelResponse { message, ..response })
    }

    fn stream(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        let (doing, mut random) = Doing::begin(request.scope(), Line::Main, &request.extra);
        let mut deltas: Vec<_> = pieces(&doing.run, &mut random).into_iter().map(ModelDelta::Text).collect();
        let calls = calls(&doing.run, request.context().step(), &mut random);
        deltas.extend(calls.into_iter().enumerate().map(|(at, call)| delta(at, call)));
        if doing.fails(&mut random) {
            deltas.truncate(random.below(8) as usize);
            return stream::unfold(Speaking { request, doing, random, deltas: deltas.into_iter(), fails: true }, next);
        }
        stream::unfold(Speaking { request, doing, random, deltas: deltas.into_iter(), fails: false }, next)
    }
}

fn delta(at: usize, call: ToolCall) -> ModelDelta {
    let ToolCall { id, function, .. } = call;
    ModelDelta::ToolCall(ToolCallDelta { id: Some(id), name: Some(function.name), ..ToolCallDelta::at(at) })
}

struct Speaking {
    // It is kept as long as the stream.
    #[allow(dead_code, reason = "a permit is given up when the operation ends")]
    request: Permit<ModelCallInputs>,
    doing: Doing,
    random: Random,
    deltas: std::vec::IntoIter<ModelDelta>,
    fails: bool,
}

async fn next(mut speaking: Speaking) -> Option<(Result<ModelDelta, OperationError>, Speaking)> {
    if speaking.random.permille(300) {
        wait(&mut speaking.random).await;
    }
    if let Some(delta) = speaking.deltas.next() {
        speaking.doing.run.record(Line::Main, What::Delta);
        return Some((Ok(delta), speaking));
    }
    if speaking.fails {
        return Some((Err(speaking.doing.fail()), speaking));
    }
    speaking.doing.end();
    None
}
