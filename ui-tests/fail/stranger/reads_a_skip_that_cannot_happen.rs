//! The message should say: rails of `SessionStart` cannot skip, so this decision has no skip with a reason. Leave out this arm.

use exo_rails::SessionInfo;
use exo_rails::prelude::*;

#[rail(priority = 10, on = [SessionStart])]
fn invited(session: &SessionInfo) -> Verdict {
    Verdict::abort_if(!session.id.starts_with("beta-"), "the beta is for invited people")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RailFault> {
    let rails = rail_chain![invited];
    let mut ctx = RunContext::new("beta");
    match rails.dispatch::<SessionStart>(&SessionInfo::default(), &mut ctx).await? {
        Decision::Continue => println!("welcome"),
        Decision::Skip(skip) => println!("we skip the greeting: {}", skip.reason), // <- here
        Decision::Abort(abort) => println!("sorry: {}", abort.reason),
    }
    Ok(())
}
