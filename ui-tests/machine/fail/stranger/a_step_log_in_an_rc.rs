//! The closure of `on_step` writes into an `Rc<RefCell<…>>`, and the executor may call it from another thread. An ideal message
//! would point at the closure, and say to use an `Arc<Mutex<…>>` or a channel.

use std::cell::RefCell;
use std::rc::Rc;

use exo_rails_agent::ScriptedModel;
use exo_rails_machine::Executor;

const FLOW: &str = "
    Init harvested; State pressed; State fermented; End bottled;
    harvested -> pressed -> fermented -> bottled;
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let machine = exo_rails_dygram::read("cider.dygram", FLOW).into_result()?;
    let model: ScriptedModel = "[]".parse()?;
    let log = Rc::new(RefCell::new(Vec::new()));
    let lines = Rc::clone(&log);
    let executor = Executor::builder(&machine, model)
        .on_step(move |step| lines.borrow_mut().push(step.current_node.clone()))
        .build()?;
    executor.run().await?;
    println!("{}", log.borrow().join(" -> "));
    Ok(())
}
