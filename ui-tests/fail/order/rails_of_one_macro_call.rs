//! The message should say: the chain does not list `check` (of the other module)

use exo_rails::prelude::*;

macro_rules! checks {
    () => {
        mod look {
            use super::*;

            #[rail(priority = 10, on = [PreToolCall])]
            pub fn check() {}
        }

        mod stop {
            use super::*;

            #[rail(priority = 30, on = [PreToolCall])]
            pub fn check() -> Verdict {
                Verdict::abort("no")
            }
        }
    };
}

checks!();

use look::check as observe;
use stop::check as guard;

rail_chain! {
    #[chain(require(guard on PreToolCall))]
    struct MyRails { observe }
}

fn main() {}
