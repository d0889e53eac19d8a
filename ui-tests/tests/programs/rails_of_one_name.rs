//! Rails and chains of one name in several modules and functions: each is its own.

#![deny(warnings, missing_docs, unreachable_pub, rustdoc::all)]

use exo_rails::Chain;
use exo_rails::prelude::*;

#[rail(priority = 1, on = [PreToolCall])]
async fn audit() {}

rail_chain! {
    struct Guards {
        audit,
    }
}

/// Rails with the names of those outside.
pub mod billing {
    use exo_rails::prelude::*;

    /// Not [`type`](r#type()).
    #[rail(priority = 2, on = [PreToolCall, PostToolCall])]
    pub async fn audit(call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name.is_empty(), "no name")
    }

    #[rail(on = [PreToolCall])]
    pub(crate) fn r#type() {}

    rail_chain! {
        /// Other rails.
        #[allow(dead_code)]
        pub(crate) struct Guards {
            audit,
            r#type,
            super::audit,
        }
    }

    /// A deprecated rail of a name that is there.
    pub mod old {
        use exo_rails::prelude::*;

        /// Old.
        #[deprecated]
        #[rail(on = [PreToolCall])]
        pub fn audit() {}
    }
}

mod inside {
    use super::*;

    pub(super) fn names() -> Vec<&'static str> {
        let _ = rail_chain![audit];
        rails_at(Guards::PLAN.events[0].rails.len())
    }

    fn rails_at(count: usize) -> Vec<&'static str> {
        vec!["audit"; count]
    }
}

fn value<R: GuardSet + Again>(rails: R) -> R {
    rails.again()
}

trait Again: Sized {
    fn again(self) -> Self {
        self
    }
}

impl Again for billing::Guards {}

#[test]
fn compiles_and_runs() {
    #[rail(on = [Start])]
    fn r#type() {}

    rail_chain! {
        struct Guards {
            r#type,
            super_rails: billing::Guards,
        }
    }

    let guards = Guards { super_rails: value(billing::Guards) };
    assert_eq!((Guards::PLAN.events.len(), billing::Guards::PLAN.events.len()), (3, 2));
    assert_eq!((<audit as Rail>::PRIORITY, <billing::audit as Rail>::PRIORITY), (1, 2));
    assert_eq!(<r#type as Rail>::EVENTS, [HookPoint::Start]);
    assert_eq!(inside::names(), ["audit"]);
    let mut rails = RailManager::new();
    assert!(
        rails.add(guards).is_ok()
            && rails.add(audit {}).is_ok()
            && rails.add_named("billing", billing::audit {}).is_ok()
    );
    r#type();
    billing::r#type();
}
