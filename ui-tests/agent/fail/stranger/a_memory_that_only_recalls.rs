//! The memory is a handbook that nobody writes to, so it has `recall` and no `store`. An ideal message would say that a memory
//! needs both methods, and that a read-only memory writes a `store` that returns `Ok(())`.

use exo_rails::prelude::*;
use exo_rails::{MemoryItem, MemoryQuery};
use exo_rails_agent::{Agent, Memory, ScriptedModel};

/// The handbook of a bicycle workshop.
struct Handbook {
    pages: Vec<String>,
}

impl Memory for Handbook {
    async fn recall(&self, query: Permit<MemoryQuery>) -> Result<Vec<MemoryItem>, OperationError> {
        let words: Vec<&str> = query.text.split_whitespace().collect();
        let hits = self.pages.iter().filter(|page| words.iter().any(|word| page.contains(word)));
        Ok(hits.take(query.limit).map(|page| MemoryItem::new(page.as_str())).collect())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "Four bar." }]"#.parse()?;
    let handbook = Handbook { pages: vec!["A tyre of a city bike takes 4 bar.".to_owned()] };
    let agent = Agent::builder("workshop", model).memory(handbook).recall_limit(3).build();
    let answer = agent.run("How much air does a tyre take?").await?;
    println!("{}", answer.text);
    Ok(())
}
