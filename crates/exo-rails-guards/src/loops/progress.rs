//! The progress of a run.

use exo_rails::RunScope;
use serde::{Deserialize, Serialize};

/// The progress of a run, as your program measures it. For example, the number is the number of tests that pass.
///
/// Your program, a tool or a rail sets the value in [`ctx.run`](RunScope::run), or in [`ctx.session`](RunScope::session) for
/// [`LoopScope::Session`](super::LoopScope::Session), whenever the number changes. If the number is larger than every earlier
/// number, the run has made progress, and [`Loops`](super::Loops) forgets the earlier calls. Calls without progress are drift.
/// If nobody sets the value, the guard finds no drift.
///
/// ```
/// use exo_rails::RunContext;
/// use exo_rails_guards::loops::Progress;
///
/// let ctx = RunContext::new("coder");
/// ctx.run.insert(Progress(0.0)); // no test passes yet
/// ctx.run.insert(Progress(3.0)); // three tests pass
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Progress(pub f64);

impl Progress {
    /// Returns the number. NaN counts as no number.
    pub(super) fn of(ctx: &RunScope) -> Option<f64> {
        let Self(measure) = ctx.run.get().or_else(|| ctx.session.get())?;
        (!measure.is_nan()).then_some(measure)
    }
}
