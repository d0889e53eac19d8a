//! What it shows: a method of the arguments, a free function and an async closure over statics are tools, each with its own error.
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::Deserialize;
use serde_json::{Map, Value, json};

static RATES: LazyLock<BTreeMap<&'static str, f64>> = LazyLock::new(|| BTreeMap::from([("CHF", 0.95), ("USD", 1.1)]));
static QUESTIONS: AtomicU32 = AtomicU32::new(0);

#[derive(Deserialize)]
struct Rate {
    currency: String,
}

#[derive(Deserialize)]
struct PayOut {
    cents: u64,
}

#[derive(Debug, thiserror::Error)]
enum TillError {
    #[error("the till has only {0} cents")]
    TooLittle(u64),
}

impl PayOut {
    const IN_THE_TILL: u64 = 500;

    async fn run(self) -> Result<String, TillError> {
        if self.cents > Self::IN_THE_TILL {
            return Err(TillError::TooLittle(Self::IN_THE_TILL));
        }
        Ok(format!("{} cents", self.cents))
    }
}

async fn hours(_: Map<String, Value>) -> std::io::Result<&'static str> {
    Ok("9 to 5")
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[
        { "call": [
            { "tool": "pay_out", "arguments": { "cents": 900 } },
            { "tool": "hours" },
            { "tool": "rate", "arguments": { "currency": "CHF" } }
        ] },
        { "say": "Come back tomorrow." }
    ]"#
    .parse()?;
    let schema = json!({ "type": "object" });
    let rate = Tool::new("rate", "Asks for a rate.", schema.clone(), async |args: Rate| {
        QUESTIONS.fetch_add(1, Ordering::Relaxed);
        RATES.get(args.currency.as_str()).map(f64::to_string).ok_or("the currency is unknown")
    });
    let tools = [
        Tool::new("pay_out", "Pays out.", schema.clone(), PayOut::run),
        Tool::new("hours", "Tells the hours.", schema, hours),
        rate.idempotent(),
    ];
    let answer = Agent::builder("teller", model).tools(tools).build().run("Nine euros in francs, please.").await?;
    assert!(answer.messages[2].text().contains("the till has only 500 cents"));
    assert_eq!((answer.messages[3].text(), answer.messages[4].text()), ("9 to 5".into(), "0.95".into()));
    assert_eq!(QUESTIONS.load(Ordering::Relaxed), 1);
    Ok(())
}
