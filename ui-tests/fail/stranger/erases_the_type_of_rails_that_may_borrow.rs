//! The message should say: a `DynGuardSet` owns its guard set, and `R` may borrow. Add the bound: `R: GuardSet + 'static`.

use exo_rails::DynGuardSet;
use exo_rails::prelude::*;

#[rail(priority = 15, on = [Start])]
fn polite(run: &InvokeInputs) -> Verdict {
    Verdict::abort_if(run.input.text().contains("idiot"), "the support does not answer insults")
}

struct Desk {
    name: &'static str,
    rails: DynGuardSet,
}

impl Desk {
    fn new<R: GuardSet>(name: &'static str, rails: R) -> Self {
        Self { name, rails: DynGuardSet::new(rails) } // <- here
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let desk = Desk::new("support", rail_chain![polite]);
    let answer = |_| async { Ok::<_, RunError>("How can I help?") };
    let output = desk.rails.guard_run("Hello!", &mut RunContext::new(desk.name), answer).await?;
    assert_eq!(output.text, "How can I help?");
    Ok(())
}
