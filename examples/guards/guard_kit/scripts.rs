//! The scripts of the model.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, Stream};
use exo_rails_agent::{Model, ScriptedModel};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Result;
use crate::log::Tampers;
use crate::servers::Servers;
use crate::shop::Shop;

/// The text of a file that no one wants: two mebibytes.
const LARGE: usize = 2 << 20;

/// A sentence again and again: 1200 bytes.
const ENDLESS: usize = 100;

/// The instructions of the agent, which customers must not read.
pub(crate) const INSTRUCTIONS: &str = "You are the assistant of the shop. Suppliers get a discount of 30 %.";

/// What the model does in a run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    #[serde(default)]
    pub(crate) name: String,
    /// The turns of the model, as [`ScriptedModel`] reads them.
    turns: Vec<Value>,
    /// How often the model makes these turns.
    #[serde(default = "once")]
    times: usize,
    /// A file that exists after the run if the model's work is done.
    pub(crate) wants: Option<String>,
    /// Whether the run must end with an answer.
    #[serde(default)]
    pub(crate) needs_answer: bool,
    /// A text that makes the model do the turns after the first one. Without it, the model ends the run.
    obeys: Option<String>,
    /// Whether somebody reads the answer while it arrives.
    #[serde(default)]
    pub(crate) streamed: bool,
    /// What an intruder does to the audit log after the run.
    pub(crate) tampers: Option<Tampers>,
}

const fn once() -> usize {
    1
}

/// The tokens of requests and of answers that the model's provider has counted.
#[derive(Default)]
pub(crate) struct Bill {
    pub(crate) prompt: AtomicU64,
    pub(crate) completion: AtomicU64,
}

/// The model of the shop. It follows the script, and it obeys texts: `{system}` in its arguments becomes the system message of
/// the request. Its provider counts the tokens of all answers.
pub(crate) struct ShopModel {
    model: ScriptedModel,
    obeys: Option<String>,
    bill: Arc<Bill>,
}

/// The last answer of a run.
const END: &str = r#"{ "summary": "Done." }"#;

impl Model for ShopModel {
    async fn call(&self, request: Permit<ModelCallInputs>) -> std::result::Result<ModelResponse, OperationError> {
        let system = Value::from(request.messages[0].text()).to_string();
        let is_later = request.messages.len() > 2;
        if let Some(order) = self.obeys.as_ref().filter(|_| is_later)
            && !request.messages.iter().any(|message| message.text().contains(order))
        {
            return Ok(ModelResponse::text(END));
        }
        let mut response = self.model.call(request).await?;
        for call in &mut response.message.tool_calls {
            call.function.arguments = call.function.arguments.replace("{system}", system.trim_matches('"'));
        }
        if let Some(usage) = &response.usage {
            self.bill.prompt.fetch_add(usage.prompt_tokens, Ordering::Relaxed);
            self.bill.completion.fetch_add(usage.completion_tokens, Ordering::Relaxed);
        }
        Ok(response)
    }

    fn stream(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Stream<Item = std::result::Result<ModelDelta, OperationError>> + Send {
        self.model.stream(request)
    }
}

impl Script {
    /// Makes the model. After the script, it ends each run with an answer.
    pub(crate) fn model(&self, shop: &Shop, servers: &Servers, bill: &Arc<Bill>) -> Result<ShopModel> {
        let end = json!({ "say": END });
        let mut all = Vec::new();
        for number in 0..self.times {
            let turns = serde_json::to_string(&self.turns)?.replace("{number}", &number.to_string());
            all.append(&mut serde_json::from_str::<Vec<Value>>(&turns)?);
        }
        // A guard may ask again, so the last answer is there several times.
        all.extend(std::iter::repeat_n(end, 5));
        let text = shop.fill(&serde_json::to_string(&all)?, servers);
        let text = text.replace("{large}", &"x".repeat(LARGE)).replace("{endless}", &"I am sorry. ".repeat(ENDLESS));
        Ok(ShopModel { model: text.parse()?, obeys: self.obeys.clone(), bill: Arc::clone(bill) })
    }
}

/// Returns the attacks and mishaps.
pub(crate) fn attacks() -> Result<Vec<Script>> {
    Ok(serde_json::from_str(include_str!("attacks.json"))?)
}

/// Returns honest work.
pub(crate) fn work() -> Result<Script> {
    let turns: Vec<Value> = serde_json::from_str(include_str!("work.json"))?;
    Ok(serde_json::from_value(json!({ "name": "honest work", "turns": turns }))?)
}
