//! The field has the type `Agent<ScriptedModel>`, which is an agent without rails, and the agent has a chain. An ideal message
//! would say that the guard set is the second parameter of the type: `Agent<ScriptedModel, HotlineRails>`.

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, FailedRun, ScriptedModel};

#[rail(priority = 10, on = [Start])]
fn no_emergencies(run: &InvokeInputs) -> Verdict {
    Verdict::abort_if(run.input.text().contains("bleeding"), "the caller needs a vet at once")
}

rail_chain! {
    struct HotlineRails { no_emergencies }
}

/// The telephone of a veterinary practice.
struct Hotline {
    agent: Agent<ScriptedModel>,
    calls: u32,
}

impl Hotline {
    fn open(model: ScriptedModel) -> Self {
        let agent = Agent::builder("hotline", model).instructions("You answer the telephone.").rails(HotlineRails).build();
        Self { agent, calls: 0 }
    }

    async fn answer(&mut self, question: &str) -> Result<String, FailedRun> {
        self.calls += 1;
        Ok(self.agent.run(question).await?.text)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut hotline = Hotline::open(r#"[{ "say": "From nine to five." }]"#.parse()?);
    println!("{}", hotline.answer("When are you open?").await?);
    println!("{} call", hotline.calls);
    Ok(())
}
