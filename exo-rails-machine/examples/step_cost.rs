//! Measures an automatic step of a machine: `cargo run --release -p exo-rails-machine --example step_cost`.

use std::time::{Duration, Instant};

use exo_rails_agent::ScriptedModel;
use exo_rails_machine::Executor;

const STEPS: u64 = 200_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (name, edges) in [
        ("an edge without a condition", "a -> b; b -> a;"),
        ("an edge with a condition", "a -when: \"c.n < 5\"-> b; a -> z; b -when: \"c.n < 5\"-> a; b -> z;"),
    ] {
        let file = format!("Context c {{ n<integer>: 1; }} State a; State b; State z; {edges}");
        let machine = exo_rails_dygram::read("flow.dygram", &file).into_result()?;
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let model: ScriptedModel = "[]".parse()?;
            let executor = Executor::builder(&machine, model)
                .until("b", u32::try_from(STEPS / 2)?)
                .limits(|limits| (limits.steps, limits.visits) = (STEPS * 2, u32::MAX))
                .build()?;
            let begin = Instant::now();
            let done = executor.run().await?;
            best = best.min(begin.elapsed() / u32::try_from(done.history.steps.len())?);
        }
        println!("{name}: {best:?} for each step");
    }
    Ok(())
}
