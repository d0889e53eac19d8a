//! Time and heap allocations of a dispatch.

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use exo_rails::{RailContext, ToolCallInputs};

use crate::variants::{Answer, Stopped, Variant};

/// A row of the table, before it is measured.
pub(crate) struct Case {
    pub(crate) variant: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) rails: usize,
    pub(crate) measured: Box<dyn Measured>,
}

/// A variant, measured. The variant's own code is compiled into each method; only the methods are dynamic.
pub(crate) trait Measured {
    /// The time for this many dispatches.
    fn time(&self, call: &mut ToolCallInputs, ctx: &mut RailContext, dispatches: u32) -> Duration;

    /// The heap allocations of one dispatch.
    fn allocations(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> u64;

    /// The size of the future of one dispatch.
    fn future_bytes(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> usize;

    /// Who stopped the event, how and why.
    fn stopped(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> Option<Stopped>;
}

impl<V: Variant> Measured for V {
    fn time(&self, call: &mut ToolCallInputs, ctx: &mut RailContext, dispatches: u32) -> Duration {
        let start = Instant::now();
        for _ in 0..dispatches {
            // Nothing that the optimizer knows of one dispatch holds for the next.
            let answer = block_on(black_box(self).dispatch(black_box(&mut *call), black_box(&mut *ctx)));
            black_box(&answer);
        }
        start.elapsed()
    }

    fn allocations(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> u64 {
        let dispatch = || drop(black_box(block_on(self.dispatch(call, ctx))));
        allocation_counter::measure(dispatch).count_total
    }

    fn future_bytes(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> usize {
        size_of_val(&self.dispatch(call, ctx))
    }

    fn stopped(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> Option<Stopped> {
        block_on(self.dispatch(call, ctx)).stopped()
    }
}

/// Polls until the future is ready: the least that a runtime does.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut ctx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut ctx) {
            return output;
        }
    }
}

/// What was measured of one case.
pub(crate) struct Figures {
    pub(crate) ns_median: f64,
    pub(crate) ns_min: f64,
    pub(crate) ns_max: f64,
    pub(crate) allocations: u64,
    pub(crate) future_bytes: usize,
}

/// Measures all cases: each once in every round, so that a slow moment of the machine hits all of them.
pub(crate) fn measure(cases: &[Case], call: &mut ToolCallInputs, rounds: u32) -> Vec<Figures> {
    let mut ctx = RailContext::new("dispatch_cost");
    let dispatches: Vec<_> = cases.iter().map(|case| warm_up(case, call, &mut ctx)).collect();
    let mut times: Vec<Vec<f64>> = cases.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for ((case, &dispatches), times) in cases.iter().zip(&dispatches).zip(&mut times) {
            times.push(nanoseconds(case, call, &mut ctx, dispatches));
        }
    }
    cases.iter().zip(times).map(|(case, times)| figures(case, call, &mut ctx, times)).collect()
}

/// How long one case is timed in each round: long against the clock's steps, short against a time slice.
const SLICE: Duration = Duration::from_micros(500);

/// Runs the case until it fills a time slice; returns how many dispatches that takes.
fn warm_up(case: &Case, call: &mut ToolCallInputs, ctx: &mut RailContext) -> u32 {
    let mut dispatches = 1;
    while timed(case, call, ctx, dispatches) < SLICE {
        dispatches *= 2;
    }
    dispatches
}

fn nanoseconds(case: &Case, call: &mut ToolCallInputs, ctx: &mut RailContext, dispatches: u32) -> f64 {
    timed(case, call, ctx, dispatches).as_secs_f64() * 1e9 / f64::from(dispatches)
}

/// Counting allocations costs time, so they are not counted meanwhile. Asking whether to count them still takes
/// about 2 ns for each: less than a tenth of the time of a dispatch that allocates for each rail.
fn timed(case: &Case, call: &mut ToolCallInputs, ctx: &mut RailContext, dispatches: u32) -> Duration {
    let mut time = Duration::ZERO;
    allocation_counter::opt_out(|| time = case.measured.time(call, ctx, dispatches));
    time
}

fn figures(case: &Case, call: &mut ToolCallInputs, ctx: &mut RailContext, mut times: Vec<f64>) -> Figures {
    times.sort_unstable_by(f64::total_cmp);
    let at = |index: usize| times.get(index).copied().unwrap_or_default();
    Figures {
        ns_median: at(times.len() / 2),
        ns_min: at(0),
        ns_max: at(times.len().saturating_sub(1)),
        allocations: case.measured.allocations(call, ctx),
        future_bytes: case.measured.future_bytes(call, ctx),
    }
}
