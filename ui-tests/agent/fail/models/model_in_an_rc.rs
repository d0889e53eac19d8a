//! The message should say: this is not a model, and `Box` and `Arc` are the pointers for a model that is chosen at run time.

use std::rc::Rc;

use exo_rails_agent::{Agent, Model, ScriptedModel};

fn main() {
    let scripted: ScriptedModel = "[]".parse().unwrap();
    let model: Rc<dyn Model> = Rc::new(scripted);
    let agent = Agent::builder("support", model).build();
    drop(agent);
}
