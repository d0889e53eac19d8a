//! What is measured, for time as for instructions: rails, and the ways to have an event pass them.
//!
//! Each program that measures takes this module as its own, and what it needs of it.
//! In a library, called by all of them, what waits took up to 1.4 times the instructions, by hand as in a chain, and a tool
//! call up to 1.5 times: the functions that poll were compiled apart from the loop that calls them.

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

/// Dispatches the event so many times, as long as it passes, and as a program does: awaited in an `async fn`.
pub(crate) async fn dispatches<V: Variant>(variant: &V, call: &mut ToolCallInputs, ctx: &mut RunContext, times: u64) {
    for _ in 0..times {
        // Nothing that the optimizer knows of one dispatch holds for the next.
        let answer = black_box(variant).dispatch(black_box(&mut *call), black_box(&mut *ctx)).await;
        if !answer.passes() {
            // Where it is looked at, the optimizer cannot leave anything of it out.
            black_box(&answer);
            break;
        }
        // To drop it would be to look into it once more.
        mem::forget(answer);
    }
}

/// Polls until the future is ready, as a runtime polls a task: through a pointer, so that each poll is one.
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
