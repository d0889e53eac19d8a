//! The rails to measure, and the ways to dispatch an event to them. The measurements of time and of instructions use
//! them.
//!
//! Each program that measures has its own copy of this module and uses the parts that it needs. In a shared library,
//! rails that wait took up to 1.4 times the instructions, both by hand and in a chain. A tool call took up to 1.5 times.
//! There, the compiler compiled the functions that poll apart from the loop that calls them.

#[allow(dead_code, reason = "only instructions are counted of it")]
pub(crate) mod around;
pub(crate) mod hand_written;
pub(crate) mod rails;
pub(crate) mod variants;
pub(crate) mod waiting;

use std::hint::black_box;
use std::mem;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use exo_rails::{RunContext, ToolCallInputs};

use variants::{Answer, Variant};

/// Dispatches the event `times` times, and stops if a rail stops it. Awaits each dispatch in an `async fn`, as a program
/// does.
pub(crate) async fn dispatches<V: Variant>(variant: &V, call: &mut ToolCallInputs, ctx: &mut RunContext, times: u64) {
    for _ in 0..times {
        // The optimizer cannot transfer facts about one dispatch to the next.
        let answer = black_box(variant).dispatch(black_box(&mut *call), black_box(&mut *ctx)).await;
        if !answer.passes() {
            // This use of the answer keeps the optimizer from removing parts of it.
            black_box(&answer);
            break;
        }
        // Dropping the answer would inspect it again.
        mem::forget(answer);
    }
}

/// Polls the future until it is ready. Polls through a pointer, as a runtime polls a task, so that each poll is a call.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let future = pin!(future);
    let mut future: Pin<&mut dyn Future<Output = F::Output>> = black_box(future);
    let mut ctx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut ctx) {
            return output;
        }
    }
}
