//! Rails and types with the names that an expansion could be thought to use.

#![deny(warnings, dead_code)]
#![allow(non_camel_case_types)]

mod guards {
    use exo_rails::Next;
    use exo_rails::operations::ToolCall;
    use exo_rails::prelude::*;

    #[rail(on = [PreToolCall])]
    pub(crate) async fn payload(call: &ToolCallInputs, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(call.tool_name.len() > ctx.step() as usize + 99, "too long")
    }

    #[rail(on = [PreToolCall])]
    pub(crate) fn ctx(payload: &mut ToolCallInputs) {
        payload.tool_name.push('!');
    }

    #[rail(on = [PreToolCall])]
    pub(crate) async fn parts(p1: &ToolCallInputs, p0: &mut RailContext) {
        println!("{} {}", p1.tool_name, p0.step());
    }

    // This `.await` is not a mistake: `next` is the future of the operation here.
    #[rail(on = [PreToolCall], around)]
    pub(crate) async fn waits(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        let next = next.run();
        next.await
    }

    #[rail(on = [PreToolCall])]
    pub(crate) async fn chain() {}

    #[rail(on = [PreToolCall])]
    pub(crate) async fn output() {}

    #[rail(on = [PreToolCall])]
    pub(crate) async fn stop() {}
}

/// Names in scope of a chain.
mod named {
    use super::guards::{chain, ctx, output, parts, payload, stop, waits};
    use exo_rails::{rail, rail_chain};

    pub(crate) type Result = ();
    pub(crate) struct Option;
    pub(crate) struct Some;
    pub(crate) struct None;
    pub(crate) struct Send;
    pub(crate) struct Future;
    pub(crate) struct String;
    pub(crate) struct Rail;
    pub(crate) struct Row;
    pub(crate) struct Start;

    /// Rails whose names are those of the expansion.
    #[rail(on = [exo_rails::events::PreToolCall])]
    pub(crate) fn rail(_: &exo_rails::ToolCallInputs) {}

    #[rail(on = [exo_rails::events::PreToolCall])]
    #[allow(non_snake_case)]
    pub(crate) fn Step() {}

    #[rail(on = [exo_rails::events::PreToolCall])]
    #[allow(non_snake_case)]
    pub(crate) fn Listed() {}

    #[rail(on = [exo_rails::events::PreToolCall])]
    #[allow(non_snake_case)]
    pub(crate) fn Place() {}

    /// Its parameters have the names that are usual for them.
    pub(crate) struct Borrowed<'a, E, V>(pub(crate) &'a (E, V));

    #[rail]
    impl<'a, E: Sync, V: Sync> Borrowed<'a, E, V> {
        #[on(exo_rails::events::PreToolCall)]
        fn before(&self, _: &exo_rails::ToolCallInputs) -> exo_rails::Verdict {
            let _: &'a (E, V) = self.0;
            exo_rails::Verdict::Continue
        }
    }

    rail_chain! {
        pub(crate) struct Chain {
            payload, ctx, parts, chain, output, stop, rail, waits, Listed, Step, Place,
            pub(crate) payload: Borrowed<'static, u8, u16>,
        }
    }

    pub(crate) fn all() -> (Option, Some, None, Send, Future, String, Rail, Row, Start, Result) {
        (Option, Some, None, Send, Future, String, Rail, Row, Start, ())
    }
}

#[test]
fn compiles_and_runs() {
    use guards::payload;
    // A variable may have the name of a rail.
    let payload = payload {};
    let rails = exo_rails::rail_chain![payload];
    let _ = (payload, rails);
    let _ = named::all();
    let rails = named::Chain { payload: named::Borrowed(&(1, 2)) };
    assert_eq!(<named::Chain as exo_rails::Rail>::EVENTS, [exo_rails::HookPoint::PreToolCall]);
    let _ = rails;
}
