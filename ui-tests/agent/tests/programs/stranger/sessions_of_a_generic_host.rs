//! What it shows: a host with generic rails and a model behind `Box<dyn Model>` keeps sessions in a map, and tasks share it.
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model, ScriptedModel, Session};
use tokio::sync::Mutex;

type Guide<R> = Arc<Agent<Box<dyn Model>, R>>;

struct Host<R: GuardSet> {
    guide: Guide<R>,
    open: Mutex<HashMap<String, Session<Guide<R>>>>,
}

impl<R: GuardSet + 'static> Host<R> {
    fn new(model: impl Model + 'static, rails: R) -> Self {
        let model: Box<dyn Model> = Box::new(model);
        Self { guide: Arc::new(Agent::builder("guide", model).rails(rails).build()), open: Mutex::default() }
    }

    async fn ask(&self, guest: &str, question: &str) -> Result<usize, RunError> {
        let mut open = self.open.lock().await;
        let session = match open.entry(guest.to_owned()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Session::start(Arc::clone(&self.guide), guest).await?),
        };
        Ok(session.run(question).await?.messages.len())
    }

    async fn close(&self) -> u32 {
        let mut turns = 0;
        for (_, session) in self.open.lock().await.drain() {
            turns += session.end().await.turns;
        }
        turns
    }
}

#[rail(priority = 10, on = [SessionStart])]
fn named_guests(session: &exo_rails::SessionInfo) -> Verdict {
    Verdict::abort_if(session.id.is_empty(), "a guest has a name")
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "Left." }, { "say": "Right." }, { "say": "Back." }]"#.parse()?;
    let host = Arc::new(Host::new(model, rail_chain![named_guests]));
    assert_eq!(host.ask("ada", "Where is the museum?").await?, 2);
    let task = tokio::spawn({
        let host = Arc::clone(&host);
        async move { host.ask("bob", "And the church?").await }
    });
    assert_eq!(task.await??, 2);
    assert_eq!(host.ask("ada", "And now?").await?, 4);
    assert!(host.ask("", "Who am I?").await.is_err());
    assert_eq!(host.close().await, 3);
    Ok(())
}
