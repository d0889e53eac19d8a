//! What it shows: a generic struct over a storage trait makes tools from its own async method and an `Arc` of itself.
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::Deserialize;
use serde_json::json;

trait Storage: Send + Sync + 'static {
    fn load(&self, key: &str) -> impl Future<Output = Option<String>> + Send;
}

impl Storage for HashMap<&'static str, &'static str> {
    async fn load(&self, key: &str) -> Option<String> {
        self.get(key).map(|text| (*text).to_owned())
    }
}

#[derive(Deserialize)]
struct Load {
    key: String,
}

#[derive(Debug, thiserror::Error)]
#[error("there is no document `{0}`")]
struct Missing(String);

struct Archive<S> {
    storage: S,
    loads: AtomicU32,
}

impl<S: Storage> Archive<S> {
    async fn load(&self, args: Load) -> Result<String, Missing> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        let found = self.storage.load(&args.key).await;
        found.ok_or(Missing(args.key))
    }

    fn tools(self: &Arc<Self>) -> Vec<Tool> {
        ["load", "load_copy"]
            .map(|name| {
                let archive = Arc::clone(self);
                Tool::new(name, "Loads a document.", json!({ "type": "object" }), move |args: Load| {
                    let archive = Arc::clone(&archive);
                    async move { archive.load(args).await }
                })
            })
            .into()
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[
        { "call": [{ "tool": "load", "arguments": { "key": "deed" } }, { "tool": "load_copy", "arguments": { "key": "will" } }] },
        { "say": "The house is Ada's." }
    ]"#
    .parse()?;
    let archive = Arc::new(Archive { storage: HashMap::from([("deed", "Ada owns it")]), loads: AtomicU32::new(0) });
    let agent = Agent::builder("notary", model).tools(archive.tools()).build();
    let answer = agent.run("Whose house is it?").await?;
    assert_eq!(answer.messages[2].text(), "Ada owns it");
    assert!(answer.messages[3].text().contains("there is no document `will`"));
    assert_eq!(archive.loads.load(Ordering::Relaxed), 2);
    Ok(())
}
