//! Written as a mistake: the library now accepts it.
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Mail {
    to: String,
    text: String,
}

struct Mailer {
    from: String,
}

impl Mailer {
    async fn send(&self, mail: Mail) -> Result<String, OperationError> {
        Ok(format!("{} -> {}: {} bytes", self.from, mail.to, mail.text.len()))
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "The mail is out." }]"#.parse()?;
    let mailer = Arc::new(Mailer { from: "desk@shop.example".to_owned() });
    let send = Tool::new("send_mail", "Sends a mail.", json!({ "type": "object" }), move |mail: Mail| async move {
        mailer.send(mail).await
    });
    let agent = Agent::builder("desk", model).tool(send).build();
    println!("{}", agent.run("Tell Ada that her parcel has left.").await?.text);
    Ok(())
}
