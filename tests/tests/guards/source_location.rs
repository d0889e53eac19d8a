//! Where rails and chains say that they are declared: at their names.

use exo_rails::SourceLocation;
use exo_rails::prelude::*;

/// The line before a rail.
const FIRST: u32 = line!();
#[rail(on = [Start])]
fn by_function() {}

const SECOND: u32 = line!();
#[rail(crate = ::exo_rails, on = [Start])]
async fn by_another_path() {}

struct Limit(usize);

const THIRD: u32 = line!();
#[rail]
impl Limit {
    #[on(Start)]
    fn check(&self, run: &InvokeInputs) -> Verdict {
        Verdict::abort_if(run.messages.len() > self.0, "too long")
    }
}

const FOURTH: u32 = line!();
rail_chain! {
    pub struct Guards { by_function, by_another_path, limit: Limit }
}

fn place(declared: SourceLocation) -> (u32, u32) {
    assert_eq!(declared.file(), file!());
    (declared.line(), declared.column())
}

#[test]
fn a_rail_is_declared_at_its_name() {
    assert_eq!(place(by_function::LOCATION), (FIRST + 2, 4));
    assert_eq!(place(by_another_path::LOCATION), (SECOND + 2, 10));
    assert_eq!(place(Limit::LOCATION), (THIRD + 2, 6));
}

#[test]
fn a_chain_is_declared_at_its_name() {
    assert_eq!(place(Guards::LOCATION), (FOURTH + 2, 16));
}
