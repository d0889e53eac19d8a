//! Rails of other modules: by path, under another name, re-exported, nested, local to a function, private in a
//! public chain.

#![deny(warnings, dead_code)]

use exo_rails::Chain;
use exo_rails::prelude::*;

pub mod security {
    pub mod tools {
        use exo_rails::prelude::*;

        #[rail(priority = 10, on = [PreToolCall])]
        pub async fn no_shell(call: &ToolCallInputs) -> Verdict {
            Verdict::abort_if(call.tool_name == "shell", "no shell")
        }

        #[rail(priority = <no_shell as Rail>::PRIORITY + 1, on = [PreToolCall])]
        pub async fn no_delete(call: &ToolCallInputs) -> Verdict {
            Verdict::abort_if(call.tool_name == "delete_file", "no delete")
        }
    }

    pub use tools::no_delete as keep_files;
}

use security::tools::no_shell as no_terminal;

mod private {
    use exo_rails::prelude::*;

    #[rail(priority = 90, on = [PreToolCall])]
    async fn log(call: &ToolCallInputs) {
        println!("{}", call.tool_name);
    }

    rail_chain! {
        pub struct Inner { log }
    }
}

rail_chain! {
    pub struct Rails { no_terminal, security::keep_files, private::Inner }
}

/// Any guard set.
fn guarded(rails: impl exo_rails::GuardSet) -> impl exo_rails::GuardSet {
    rails
}

fn local<T: Default>() -> (impl exo_rails::GuardSet, T) {
    #[rail(priority = -5, on = [Start])]
    fn first(_: &InvokeInputs) {}

    (rail_chain![first, crate::rails_from_elsewhere::no_terminal], T::default())
}

fn names(plan: &exo_rails::Plan) -> Vec<&'static str> {
    plan.events.iter().flat_map(|event| event.rails).map(|rail| rail.info.name).collect()
}

#[test]
fn compiles_and_runs() {
    assert_eq!(names(&Rails::PLAN), ["no_shell", "no_delete", "Inner"]);
    let _ = guarded(rail_chain![no_terminal]);
    let _ = guarded(&Rails {});
    let _ = local::<u8>();
}
