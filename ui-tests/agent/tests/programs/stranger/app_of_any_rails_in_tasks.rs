//! What it shows: a generic host with a default guard set returns runs as `impl Future + 'static`, which tasks can own.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::NoRails;
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, FailedRun, Model, ScriptedModel};

struct App<M, R: GuardSet = NoRails> {
    agent: Arc<Agent<M, R>>,
}

impl<M: Model + 'static> App<M> {
    fn unguarded(model: M) -> Self {
        Self { agent: Arc::new(Agent::builder("app", model).build()) }
    }
}

impl<M: Model + 'static, R: GuardSet + 'static> App<M, R> {
    fn ask(&self, question: String) -> impl Future<Output = Result<String, FailedRun>> + Send + use<M, R> {
        let agent = Arc::clone(&self.agent);
        async move { Ok(agent.run(question).await?.text) }
    }
}

struct Count(AtomicU32);

#[rail(priority = 20)]
impl Count {
    #[on(Start)]
    fn run(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

rail_chain! {
    struct AppRails { count: Arc<Count> }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let script = r#"[{ "say": "one" }, { "say": "two" }, { "say": "three" }]"#;
    let count = Arc::new(Count(AtomicU32::new(0)));
    let agent = Agent::builder("app", script.parse::<ScriptedModel>()?).rails(AppRails { count: count.clone() }).build();
    let app = App { agent: Arc::new(agent) };
    let tasks: Vec<_> = (0..3).map(|number| tokio::spawn(app.ask(format!("Count to {number}.")))).collect();
    drop(app);
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await??);
    }
    answers.sort();
    assert_eq!(answers, ["one", "three", "two"]);
    assert_eq!(count.0.load(Ordering::Relaxed), 3);

    let plain = App::unguarded(script.parse::<ScriptedModel>()?);
    assert_eq!(plain.ask("Count.".to_owned()).await?, "one");
    Ok(())
}
