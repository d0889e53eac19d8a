//! Measures the time and the heap allocations of a dispatch.

use std::io;
use std::time::{Duration, Instant};

use exo_rails::{RunContext, ToolCallInputs};
use tokio::runtime::{Builder, Runtime};

use crate::cases::{HAND_WRITTEN, STATIC};
use crate::dispatch::variants::{Answer, Stopped, Variant};
use crate::dispatch::{block_on, dispatches};

/// A row of the table before its measurement.
pub(crate) struct Case {
    pub(crate) variant: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) rails: usize,
    pub(crate) measured: Box<dyn Measured>,
}

impl Case {
    /// Returns `true` if the rails wait for something that needs a runtime.
    fn needs_runtime(&self) -> bool {
        matches!(self.kind, "timer" | "channel")
    }

    /// Returns `true` if both cases have the same rails.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        (self.kind, self.rails) == (other.kind, other.rails)
    }
}

/// A variant to measure. Each method contains the code of the variant, and only the call of the method is dynamic.
pub(crate) trait Measured {
    /// Returns the time of this number of dispatches.
    fn time(&self, lab: &mut Lab, dispatches: u64) -> Duration;

    /// Returns the time of this number of dispatches on the runtime.
    fn time_on_runtime(&self, lab: &mut Lab, dispatches: u64) -> Duration;

    /// Returns the number of heap allocations of one dispatch.
    fn allocations(&self, lab: &mut Lab) -> u64;

    /// Returns the size of the future of one dispatch.
    fn future_bytes(&self, lab: &mut Lab) -> usize;

    /// Returns the rail that stopped the event, its action and its reason.
    fn stopped(&self, runtime: &Runtime, call: &mut ToolCallInputs, ctx: &mut RunContext) -> Option<Stopped>;
}

impl<V: Variant> Measured for V {
    fn time(&self, Lab { call, ctx, .. }: &mut Lab, times: u64) -> Duration {
        let start = Instant::now();
        block_on(dispatches(self, call, ctx, times));
        start.elapsed()
    }

    fn time_on_runtime(&self, Lab { runtime, call, ctx }: &mut Lab, times: u64) -> Duration {
        let start = Instant::now();
        runtime.block_on(dispatches(self, call, ctx, times));
        start.elapsed()
    }

    fn allocations(&self, Lab { runtime, call, ctx }: &mut Lab) -> u64 {
        let dispatch = || drop(std::hint::black_box(runtime.block_on(self.dispatch(call, ctx))));
        allocation_counter::measure(dispatch).count_total
    }

    fn future_bytes(&self, Lab { call, ctx, .. }: &mut Lab) -> usize {
        size_of_val(&self.dispatch(call, ctx))
    }

    fn stopped(&self, runtime: &Runtime, call: &mut ToolCallInputs, ctx: &mut RunContext) -> Option<Stopped> {
        runtime.block_on(self.dispatch(call, ctx)).stopped()
    }
}

/// The values that all measurements share.
pub(crate) struct Lab {
    pub(crate) runtime: Runtime,
    pub(crate) call: ToolCallInputs,
    pub(crate) ctx: RunContext,
}

impl Lab {
    pub(crate) fn new(runtime: Runtime, call: ToolCallInputs) -> Self {
        Self { runtime, call, ctx: RunContext::new("dispatch_cost") }
    }
}

/// Makes a runtime whose timers fire when all tasks wait.
pub(crate) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_time().start_paused(true).build()
}

/// The figures of one case. The times are for one dispatch.
pub(crate) struct Figures {
    pub(crate) ns: Spread,
    /// The time divided by the time of the hand-written code for the same rails, in the same round.
    pub(crate) ratio: Option<Spread>,
    /// The time divided by the time of the static chain, in the same round.
    pub(crate) against_static: Option<Spread>,
    pub(crate) allocations: u64,
    pub(crate) future_bytes: usize,
}

/// The median of several figures, and the range of their middle half.
#[derive(Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) quartiles: [f64; 2],
}

impl Spread {
    fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_unstable_by(f64::total_cmp);
        let at = |quarter: usize| {
            let index = figures.len().saturating_sub(1) * quarter / 4;
            figures.get(index).copied().unwrap_or_default()
        };
        Self { median: at(2), quartiles: [at(1), at(3)] }
    }
}

/// Measures all cases. Each round measures each case once, so a slow moment of the machine affects all of them.
pub(crate) fn measure(cases: &[Case], lab: &mut Lab, rounds: u32) -> Vec<Figures> {
    let dispatches: Vec<_> = cases.iter().map(|case| warm_up(case, lab)).collect();
    let mut times: Vec<Vec<f64>> = cases.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for ((case, &dispatches), times) in cases.iter().zip(&dispatches).zip(&mut times) {
            times.push(timed(case, lab, dispatches).as_secs_f64() * 1e9 / count(dispatches));
        }
    }
    let against = |case: &Case, own: &[f64], variant| Some(ratios(own, base(case, variant, cases, &times)?));
    let figures = |(case, own): (&Case, &Vec<f64>)| Figures {
        ns: Spread::of(own.clone()),
        ratio: against(case, own, HAND_WRITTEN),
        against_static: against(case, own, STATIC),
        allocations: case.measured.allocations(lab),
        future_bytes: case.measured.future_bytes(lab),
    };
    cases.iter().zip(&times).map(figures).collect()
}

/// Returns the number of dispatches as a divisor.
#[allow(clippy::cast_precision_loss, reason = "there is no time for so many")]
fn count(dispatches: u64) -> f64 {
    dispatches as f64
}

/// Returns the times of a variant for the same rails.
fn base<'t>(case: &Case, variant: &str, cases: &[Case], times: &'t [Vec<f64>]) -> Option<&'t [f64]> {
    let at = cases.iter().position(|other| other.variant == variant && other.is_beside(case))?;
    times.get(at).map(Vec::as_slice)
}

/// The time that each round measures a case: long compared with the steps of the clock, and short compared with a time
/// slice.
const SLICE: Duration = Duration::from_micros(500);

/// Runs the case until it takes the time of a slice. Returns the number of dispatches.
fn warm_up(case: &Case, lab: &mut Lab) -> u64 {
    let mut dispatches = 1;
    while timed(case, lab, dispatches) < SLICE {
        dispatches *= 2;
    }
    dispatches
}

/// Measures the time. Counting allocations costs time, so the counter is off. The check whether to count still takes
/// about 2 ns for each allocation. That is less than a tenth of the time of a dispatch that allocates for each rail.
fn timed(case: &Case, lab: &mut Lab, dispatches: u64) -> Duration {
    let mut time = Duration::ZERO;
    allocation_counter::opt_out(|| {
        time = if case.needs_runtime() {
            case.measured.time_on_runtime(lab, dispatches)
        } else {
            case.measured.time(lab, dispatches)
        };
    });
    time
}

/// Returns the ratio of the two times of each round.
fn ratios(own: &[f64], base: &[f64]) -> Spread {
    Spread::of(own.iter().zip(base).map(|(own, base)| own / base).collect())
}
