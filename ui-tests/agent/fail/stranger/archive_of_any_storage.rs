//! The message should say: a tool may go to another thread while it waits, and the future of `Storage::load` may not be `Send`:
//! declare the method as `fn load(&self, key: &str) -> impl Future<Output = Option<String>> + Send;`.
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::Deserialize;
use serde_json::json;

trait Storage: Send + Sync + 'static {
    async fn load(&self, key: &str) -> Option<String>;
}

struct Fixed(&'static str);

impl Storage for Fixed {
    async fn load(&self, key: &str) -> Option<String> {
        (key == "deed").then(|| self.0.to_owned())
    }
}

#[derive(Deserialize)]
struct Load {
    key: String,
}

fn load_tool<S: Storage>(storage: Arc<S>) -> Tool {
    Tool::new("load", "Loads a document.", json!({ "type": "object" }), move |args: Load| {
        let storage = Arc::clone(&storage);
        async move { storage.load(&args.key).await.ok_or("there is no such document") } // <- here
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "The house is yours." }]"#.parse()?;
    let agent = Agent::builder("notary", model).tool(load_tool(Arc::new(Fixed("the house belongs to Ada")))).build();
    println!("{}", agent.run("Whose house is it?").await?.text);
    Ok(())
}
