//! The message should say: this is not a model, which models there are, and what a model that is chosen at run time is.

use exo_rails_agent::Agent;

fn main() {
    let agent = Agent::builder("support", "gpt-4o").build();
    drop(agent);
}
