//! Every legal parameter, on every event: each part, by `&` and where the event carries it so by `&mut`, in both
//! orders, with the context in both forms, and the union of payloads.

#![deny(warnings, dead_code)]

use exo_rails::Chain;
use exo_rails::prelude::*;

macro_rules! takes {
    ($($event:ident: $($name:ident($($ty:ty),*)),+;)+) => {
        $(#[allow(non_snake_case)]
        mod $event {
            #[allow(unused_imports)]
            use super::*;

            $(takes!(@rail $event $name($($ty),*));)+

            rail_chain! { pub(crate) struct Chain { $($name),+ } }
        })+

        #[test]
        fn compiles_and_runs() {
            $(assert_eq!(<$event::Chain as Chain>::PLAN.events[0].rails.len(), [$(stringify!($name)),+].len());)+
        }
    };
    (@rail $event:ident $name:ident()) => {
        #[rail(on = [exo_rails::events::$event])]
        pub(crate) async fn $name() {}
    };
    (@rail $event:ident $name:ident($a:ty)) => {
        #[rail(on = [exo_rails::events::$event])]
        pub(crate) async fn $name(_: $a) {}
    };
    (@rail $event:ident $name:ident($a:ty, $b:ty)) => {
        #[rail(on = [exo_rails::events::$event])]
        pub(crate) async fn $name(_: $a, _: $b) {}
    };
    (@rail $event:ident $name:ident($a:ty, $b:ty, $c:ty)) => {
        #[rail(on = [exo_rails::events::$event])]
        pub(crate) async fn $name(_: $a, _: $b, _: $c) {}
    };
}

macro_rules! table {
    ($($event:ident $first:ident $($second:ident)?: $($name:ident($($ty:ty),*)),*;)+) => {
        takes! {
            $($event:
                nothing(), context(&RailContext), mut_context(&mut RailContext), union(Inputs<'_>),
                union_and_context(Inputs<'_>, &mut RailContext), context_and_union(&RailContext, Inputs<'_>),
                first(&$first), first_and_context(&$first, &mut RailContext)
                $(, second(&$second), both(&$first, &$second), both_turned(&$second, &$first),
                all(&$second, &RailContext, &$first))?
                $(, $name($($ty),*))*;
            )+
        }
    };
}

table! {
    Start InvokeInputs: change(&mut InvokeInputs);
    PreLlmCall ModelCallInputs: change(&mut ModelCallInputs);
    PostLlmCall ModelCallInputs ModelResponse: change(&mut ModelResponse, &ModelCallInputs);
    LlmError ModelCallInputs OperationError: ;
    PreToolCall ToolCallInputs: change(&mut RailContext, &mut ToolCallInputs);
    PostToolCall ToolCallInputs ToolOutput: change(&ToolCallInputs, &mut ToolOutput);
    ToolError ToolCallInputs OperationError: ;
    Finished InvokeInputs InvokeOutput: change(&mut InvokeOutput, &mut RailContext);
    Error InvokeInputs RunError: ;
}
