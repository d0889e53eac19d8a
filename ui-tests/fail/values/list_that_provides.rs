//! The message should say: each rail of a list would provide the value, and a value has one provider. And once: it is only
//! in a list, which may be empty.

use exo_rails::prelude::*;

#[derive(Provided)]
struct Budget(u32);

struct Counts(u32);

#[rail(priority = 10)]
impl Counts {
    #[on(PreLlmCall, provides = [Budget])]
    fn count(&self) -> Budget {
        Budget(self.0)
    }
}

#[rail(priority = 20, on = [PreLlmCall], needs = [Budget])]
fn limits(budget: &Budget) -> Verdict {
    Verdict::abort_if(budget.0 == 0, "no budget is left")
}

rail_chain! { struct MyRails { counts: Vec<Counts> } }

rail_chain! { struct Inner { counts: Counts } }

rail_chain! { struct Around { limits, #[rail(priority = 5)] inner: Vec<Inner> } }

fn main() {
    let _ = (MyRails { counts: vec![] }, Around { inner: vec![] });
}
