//! The compiler's own words: write `<dyn Model>`.

use exo_rails_agent::{Agent, Model, SpecError};

fn main() -> Result<(), SpecError> {
    let agent = Agent::builder("support", Model::from_spec("openai:gpt-4o")?).build();
    drop(agent);
    Ok(())
}
