//! Every legal return type, on every event that allows it.

#![deny(warnings, dead_code)]

use exo_rails::Chain;
use exo_rails::prelude::*;

macro_rules! returns {
    ($($event:ident: $($name:ident $ty:ty = $value:expr),+;)+) => {
        $(#[allow(non_snake_case)]
        mod $event {
            #[allow(unused_imports)]
            use super::*;

            $(#[rail(on = [exo_rails::events::$event])]
            pub(crate) async fn $name() -> $ty {
                $value
            })+

            rail_chain! { pub(crate) struct Chain { $($name),+ } }
        })+

        #[test]
        fn compiles_and_runs() {
            $(assert_eq!(<$event::Chain as Chain>::PLAN.events[0].rails.len(), [$(stringify!($name)),+].len());)+
        }
    };
}

/// What all events but `Error` take; and, with a type, what a skip may bring.
macro_rules! table {
    ($($event:ident $($substitute:ident)?;)+) => {
        returns! {
            $($event:
                unit () = (),
                maybe_unit Option<()> = None,
                result_unit Result<(), std::fmt::Error> = Ok(()),
                verdict Verdict = Verdict::Continue,
                maybe_verdict Option<Verdict> = None,
                action RailAction = RailAction::Continue,
                maybe_action Option<RailAction> = None,
                result_text Result<RailAction, String> = Ok(RailAction::Continue),
                result_literal Result<Verdict, &'static str> = Ok(Verdict::Continue),
                result_boxed Result<Option<RailAction>, Box<dyn std::error::Error + Send + Sync>> = Ok(None)
                $(, substitute RailAction<$substitute> = RailAction::Continue,
                maybe_substitute Option<RailAction<$substitute>> = None,
                result_substitute Result<RailAction<$substitute>, std::io::Error> = Ok(RailAction::Continue))?;
            )+
            Error:
                unit () = (),
                maybe_unit Option<()> = None,
                result_unit Result<(), std::fmt::Error> = Ok(());
        }
    };
}

table! {
    Start InvokeOutput;
    PreLlmCall ModelResponse;
    PostLlmCall;
    LlmError ModelResponse;
    PreToolCall ToolOutput;
    PostToolCall;
    ToolError ToolOutput;
    Finished;
}
