//! A model, tools, a memory and checkpoints that say secrets and keep what they receive.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use exo_rails::message::{Content, ContentPart, FunctionCall, Message, Role, ToolCall};
use exo_rails::prelude::*;
use exo_rails::{MemoryEntry, MemoryItem, MemoryQuery, ModelDelta, Operation, ToolCallDelta};
use exo_rails_agent::{Checkpoints, Memory, Model, SuspendedRun};
use futures_util::{Stream, StreamExt, stream};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::plan::Plan;
use crate::rails::ON_PURPOSE;
use crate::random::Random;
use crate::sinks::Sinks;

/// The arguments of a tool. What the model writes may not fit.
#[derive(Debug, Serialize, Deserialize, ToolArgs)]
#[tool(name = "login", schema = json!({ "type": "object" }))]
pub(crate) struct Login {
    pub(crate) user: String,
    #[serde(default)]
    pub(crate) pin: u32,
    #[serde(default)]
    pub(crate) limits: HashMap<String, u32>,
}

/// What a custom operation stores.
#[derive(Clone, Debug)]
pub(crate) struct Document(pub(crate) String);

/// What it gives back.
#[derive(Clone, Debug)]
pub(crate) struct Receipt;

/// Stores a document.
#[derive(Operation)]
#[operation(inputs = Document, output = Receipt)]
pub(crate) struct StoreDocument;

/// What a custom event carries.
#[derive(Clone, Debug)]
pub(crate) struct Note(pub(crate) String);

/// A note is taken.
#[derive(Event)]
#[event(payload = &mut Note, allows = "retry")]
pub(crate) struct Noted;

impl Document {
    pub(crate) fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        change(&mut self.0);
    }
}

impl Note {
    pub(crate) fn for_each_text(&mut self, mut change: impl FnMut(&mut String)) {
        change(&mut self.0);
    }
}

/// All that is around a run.
pub(crate) struct World {
    pub(crate) plan: Arc<Plan>,
    pub(crate) sinks: Arc<Sinks>,
    asked: AtomicU64,
}

/// Text with a secret somewhere in it.
fn with_secret(secret: &str, random: &mut Random) -> String {
    let words = ["so", "the key is ", "öl ", "\"", ", ", ""];
    let mut word = || words[random.below(6) as usize];
    format!("{}{}{secret}{}", word(), word(), word())
}

/// The same text in pieces.
fn pieces(text: &str, random: &mut Random) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let most = 1 + random.below(12);
    for character in text.chars() {
        if random.below(most) == 0 {
            pieces.push(String::new());
        }
        pieces.last_mut().unwrap().push(character);
    }
    pieces
}

/// JSON with some letters as escapes.
fn escaped(json: &str, random: &mut Random) -> String {
    let escapes = random.permille(500);
    let mut text = String::new();
    for character in json.chars() {
        if escapes && character.is_ascii_uppercase() && random.below(9) == 0 {
            let _ = write!(text, "\\u{:04x}", u32::from(character));
        } else {
            text.push(character);
        }
    }
    text
}

fn failure(text: &str, random: &mut Random) -> OperationError {
    let error = OperationError::new(OperationErrorKind::Unavailable, with_secret(text, random));
    if random.permille(500) { error.with_source(std::io::Error::other(text.to_owned())) } else { error }
}

impl World {
    pub(crate) fn of(plan: &Arc<Plan>, sinks: &Arc<Sinks>) -> Arc<Self> {
        Arc::new(Self { plan: Arc::clone(plan), sinks: Arc::clone(sinks), asked: AtomicU64::new(0) })
    }

    pub(crate) fn random(&self) -> Random {
        self.plan.random(1_000_000 + self.asked.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn input(&self) -> InvokeInputs {
        let mut random = self.random();
        let text = with_secret(self.plan.secrets.of("input"), &mut random);
        let mut extra = Map::new();
        if random.permille(300) {
            extra.insert("from".to_owned(), json!([{ "mail": text.clone() }]));
        }
        let part = |text: String| ContentPart { kind: "text".to_owned(), text: Some(text), extra: Map::new() };
        let input = if random.permille(300) { Content::Parts(vec![part(text)]) } else { Content::Text(text) };
        InvokeInputs { extra, ..InvokeInputs::new(input) }
    }

    /// Arguments of the tool `login`, as JSON.
    pub(crate) fn arguments(&self, random: &mut Random) -> Value {
        let secret = self.plan.secrets.of("arguments");
        match random.below(5) {
            0 => json!({ "user": secret, "pin": 1 }),
            1 => json!({ "user": 5, "pin": secret }),
            2 => json!({ "user": "ada", "limits": { secret: "none" } }),
            3 => json!({ "user": "ada", "limits": { secret: 1 }, "other": [secret] }),
            _ => json!([secret]),
        }
    }

    fn answer(&self) -> Result<ModelResponse, OperationError> {
        let (mut random, secrets) = (self.random(), &self.plan.secrets);
        if random.permille(120) {
            return Err(failure(secrets.of("model error"), &mut random));
        }
        let mut message = Message { role: Role::Assistant, ..Message::default() };
        if random.permille(800) {
            message.content = Some(with_secret(secrets.of("content"), &mut random).into());
        }
        if random.permille(500) {
            message.extra.insert("reasoning_content".into(), with_secret(secrets.of("reasoning"), &mut random).into());
        }
        if random.permille(300) {
            message.extra.insert("refusal".into(), json!({ "parts": [secrets.of("refusal")] }));
        }
        if random.permille(600) {
            for number in 0..=random.below(3) {
                let arguments = escaped(&self.arguments(&mut random).to_string(), &mut random);
                let arguments = if random.permille(100) { format!("{arguments}}}") } else { arguments };
                let name = ["login", "search"][random.below(2) as usize].to_owned();
                let mut call = ToolCall::new(format!("call-{number}"), name.clone(), &json!({}));
                call.function = FunctionCall { name, arguments, ..call.function };
                message.tool_calls.push(call);
            }
        }
        let finish_reason = Some(if message.tool_calls.is_empty() { "stop" } else { "tool_calls" }.to_owned());
        let mut response = ModelResponse { message, finish_reason, ..ModelResponse::default() };
        if random.permille(300) {
            response.extra.insert("id".into(), secrets.of("beside the message").into());
            response.extra.insert("model".into(), secrets.of("beside the message").into());
        }
        Ok(response)
    }

    fn deltas(&self) -> Vec<Result<ModelDelta, OperationError>> {
        let response = match self.answer() {
            Ok(response) => response,
            Err(error) => return vec![Err(error)],
        };
        let mut random = self.random();
        if random.permille(100) {
            return vec![Ok(ModelDelta::Text("Well".into())), Ok(ModelDelta::Response(Box::new(response)))];
        }
        let ModelResponse { message, finish_reason, extra, .. } = response;
        let mut deltas = vec![ModelDelta::ResponseFields(extra), ModelDelta::Fields(message.extra)];
        if let Some(Content::Text(text)) = message.content {
            deltas.extend(pieces(&text, &mut random).into_iter().map(ModelDelta::Text));
        }
        for (at, call) in message.tool_calls.into_iter().enumerate() {
            let ToolCall { id, function, .. } = call;
            let first = ToolCallDelta { id: Some(id), name: Some(function.name), ..ToolCallDelta::at(at) };
            deltas.push(ModelDelta::ToolCall(first));
            let pieces = pieces(&function.arguments, &mut random).into_iter();
            deltas.extend(
                pieces.map(|arguments| ModelDelta::ToolCall(ToolCallDelta { arguments, ..ToolCallDelta::at(at) })),
            );
        }
        deltas.extend(finish_reason.map(ModelDelta::Finish));
        let mut deltas: Vec<_> = deltas.into_iter().map(Ok).collect();
        if random.permille(100) {
            // Broken off.
            deltas.truncate(random.below(u32::try_from(deltas.len()).unwrap()) as usize);
            deltas.push(Err(failure(self.plan.secrets.of("model error"), &mut random)));
        }
        deltas
    }

    /// Takes some time.
    async fn wait(&self) {
        let mut random = self.random();
        if random.permille(300) {
            tokio::time::sleep(Duration::from_millis(u64::from(random.below(8)))).await;
        }
    }

    async fn use_tool(self: Arc<Self>) -> Result<ToolOutput, OperationError> {
        self.wait().await;
        let (mut random, secrets) = (self.random(), &self.plan.secrets);
        match random.below(10) {
            0 | 1 => Err(failure(secrets.of("tool error"), &mut random)),
            2 => panic!("{ON_PURPOSE}: {}", secrets.of("tool error")),
            3 => Ok(ToolOutput::error(with_secret(secrets.of("output"), &mut random))),
            4 => {
                let mut output = ToolOutput::text("see beside");
                output.extra.insert("log".into(), json!({ "lines": [secrets.of("output")] }));
                Ok(output)
            }
            _ => Ok(ToolOutput::text(with_secret(secrets.of("output"), &mut random))),
        }
    }

    pub(crate) fn tools(self: &Arc<Self>) -> [Tool; 2] {
        let (one, other) = (Arc::clone(self), Arc::clone(self));
        let login = Login::tool(move |_| Arc::clone(&one).use_tool());
        let search = Tool::new("search", "", json!({}), move |_: Value| Arc::clone(&other).use_tool());
        [login.into(), search]
    }

    pub(crate) async fn store(&self, _: Permit<Document>) -> Result<Receipt, OperationError> {
        let mut random = self.random();
        if random.permille(300) { Err("the archive is full".into()) } else { Ok(Receipt) }
    }
}

pub(crate) struct Handle(pub(crate) Arc<World>);

impl Model for Handle {
    async fn call(&self, _: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        self.0.wait().await;
        self.0.answer()
    }

    fn stream(&self, _: Permit<ModelCallInputs>) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        let world = Arc::clone(&self.0);
        stream::iter(self.0.deltas()).then(move |delta| {
            let world = Arc::clone(&world);
            async move {
                world.wait().await;
                delta
            }
        })
    }
}

impl Memory for Handle {
    async fn recall(&self, _: Permit<MemoryQuery>) -> Result<Vec<MemoryItem>, OperationError> {
        let mut random = self.0.random();
        if random.permille(200) {
            return Err(failure(self.0.plan.secrets.of("memory error"), &mut random));
        }
        Ok(vec![MemoryItem::new(with_secret(self.0.plan.secrets.of("recalled"), &mut random))])
    }

    async fn store(&self, entry: Permit<MemoryEntry>) -> Result<(), OperationError> {
        self.0.sinks.add("memory", serde_json::to_string(&*entry).unwrap());
        let mut random = self.0.random();
        if random.permille(200) { Err(failure(self.0.plan.secrets.of("memory error"), &mut random)) } else { Ok(()) }
    }
}

impl Checkpoints for Handle {
    async fn save(&self, run: SuspendedRun) -> Result<(), OperationError> {
        self.0.sinks.add("saved run", format!("{}\n{run:?}", serde_json::to_string(&run).unwrap()));
        Ok(())
    }

    async fn remove(&self, _: &str, _: u64) -> Result<(), OperationError> {
        Ok(())
    }
}
