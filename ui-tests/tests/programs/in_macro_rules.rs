//! Rails and chains that a `macro_rules!` makes.

#![deny(warnings, dead_code)]

use exo_rails::prelude::*;

macro_rules! deny {
    ($name:ident, $priority:expr, $on:ident, $tool:literal) => {
        #[rail(priority = $priority, on = [$on])]
        async fn $name(call: &ToolCallInputs) -> Verdict {
            Verdict::abort_if(call.tool_name == $tool, concat!($tool, " is off limits"))
        }
    };
}

deny!(no_shell, 10, PreToolCall, "shell");
deny!(no_delete, 10 + 1, PreToolCall, "delete_file");

macro_rules! stateful {
    ($name:ident { $($field:ident: $ty:ty),* } on $event:path) => {
        struct $name { $($field: $ty),* }

        #[rail]
        impl $name {
            #[on($event)]
            async fn guard(&self, ctx: &RailContext) {
                $(println!("{:?} {}", self.$field, ctx.step());)*
            }
        }
    };
}

stateful!(Report { title: String } on exo_rails::events::Finished);

macro_rules! chain {
    ($name:ident: $($rail:path),* $(; $field:ident: $ty:ty)*) => {
        rail_chain! {
            struct $name { $($rail,)* $($field: $ty,)* }
        }
    };
}

chain!(Guards: no_shell, no_delete; report: Report);

macro_rules! unnamed {
    ($($rail:path),*) => { rail_chain![$($rail),*] };
}

#[test]
fn compiles_and_runs() {
    let _ = Guards { report: Report { title: String::new() } };
    let _ = unnamed!(no_shell, no_delete);
}
