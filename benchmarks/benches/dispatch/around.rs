//! Rails around a tool call, and the same wrappers written by hand around the tool.

use std::sync::atomic::{AtomicU64, Ordering};

use exo_rails::Next;
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;
use futures_util::future::Either;

use super::variants::{Variant, next};

/// Counts the beginnings and the ends of the tool.
#[derive(Default)]
pub(crate) struct Count(AtomicU64);

#[rail]
impl Count {
    #[on(PreToolCall, around)]
    async fn around(&self, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let result = next.run().await;
        self.0.fetch_add(1, Ordering::Relaxed);
        result
    }
}

type Answer = Result<ToolOutput, OperationError>;

/// The wrapper around any future.
async fn counted(count: &Count, tool: impl Future<Output = Answer>) -> Answer {
    count.0.fetch_add(1, Ordering::Relaxed);
    let result = tool.await;
    count.0.fetch_add(1, Ordering::Relaxed);
    result
}

/// The same wrapper, which may be absent. As an `async fn`, ten of these wrappers took a million instructions.
fn perhaps(count: Option<&Count>, tool: impl Future<Output = Answer>) -> impl Future<Output = Answer> {
    match count {
        Some(count) => Either::Left(counted(count, tool)),
        None => Either::Right(tool),
    }
}

async fn tool(_: Permit<ToolCallInputs>) -> Answer {
    Ok(ToolOutput::default())
}

rail_chain! { struct Empty {} }

macro_rules! layers {
    ($($name:ident, $by_hand:ident: $count:ty, $wrap:expr; $($field:ident)*;)*) => {$(
        rail_chain! {
            #[derive(Default)]
            pub(crate) struct $name { $($field: $count),* }
        }

        impl Variant for $name {
            type Answer = Result<ToolOutput, RunError>;

            fn dispatch<'a>(
                &'a self,
                call: &'a mut ToolCallInputs,
                ctx: &'a mut RunContext,
            ) -> impl Future<Output = Self::Answer> + Send {
                self.guard_tool_call(next(call), ctx, tool)
            }
        }

        #[derive(Default)]
        pub(crate) struct $by_hand { $($field: $count),* }

        impl Variant for $by_hand {
            type Answer = Result<ToolOutput, RunError>;

            fn dispatch<'a>(
                &'a self,
                call: &'a mut ToolCallInputs,
                ctx: &'a mut RunContext,
            ) -> impl Future<Output = Self::Answer> + Send {
                Empty.guard_tool_call(next(call), ctx, |call| layers!(@nest self, $wrap, tool(call); $($field)*))
            }
        }
    )*};
    (@nest $self:ident, $wrap:expr, $tool:expr;) => { $tool };
    (@nest $self:ident, $wrap:expr, $tool:expr; $field:ident $($more:ident)*) => {
        $wrap(&$self.$field, layers!(@nest $self, $wrap, $tool; $($more)*))
    };
}

layers! {
    One, OneByHand: Count, counted; a;
    Three, ThreeByHand: Count, counted; a b c;
    Five, FiveByHand: Count, counted; a b c d e;
    TenAbsent, TenAbsentByHand: Option<Count>, |count, tool| perhaps(Option::as_ref(count), tool);
        a b c d e f g h i j;
}
