//! The scripts of the model.

use exo_rails_agent::ScriptedModel;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Result;
use crate::servers::Servers;
use crate::shop::Shop;

/// The text of a file that no one wants: two mebibytes.
const LARGE: usize = 2 << 20;

/// What the model does in a run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    #[serde(default)]
    pub(crate) name: String,
    /// The turns of the model, as [`ScriptedModel`] reads them.
    turns: Vec<Value>,
    /// A file that exists after the run if the model's work is done.
    pub(crate) wants: Option<String>,
}

impl Script {
    /// Makes the model. After the script, it ends each run with an answer.
    pub(crate) fn model(&self, shop: &Shop, servers: &Servers) -> Result<ScriptedModel> {
        let end = json!({ "say": r#"{ "summary": "Done." }"# });
        // A guard may ask again, so the last answer is there several times.
        let all: Vec<&Value> = self.turns.iter().chain(std::iter::repeat_n(&end, 5)).collect();
        let text = shop.fill(&serde_json::to_string(&all)?, servers).replace("{large}", &"x".repeat(LARGE));
        Ok(text.parse()?)
    }
}

/// Returns the attacks and mishaps.
pub(crate) fn attacks() -> Result<Vec<Script>> {
    Ok(serde_json::from_str(include_str!("attacks.json"))?)
}

/// Returns honest work.
pub(crate) fn work() -> Result<Script> {
    let turns = serde_json::from_str(include_str!("work.json"))?;
    Ok(Script { name: "honest work".to_owned(), turns, wants: None })
}
