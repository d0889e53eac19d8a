//! Alternatives to the library: the same rails in the same order, behind the interfaces of other libraries.
//!
//! Here, each rail is a type, so a list of rails is a type too. Each opponent makes its stack from such a list.

pub(crate) mod process;
#[cfg(feature = "rig")]
pub(crate) mod rig;
pub(crate) mod tower;

use exo_rails::{RunContext, ToolCallInputs};

use crate::dispatch::hand_written::{Decision, Fault};

/// The answer of a dispatch.
pub(crate) type Answer = Result<Decision, Fault>;

/// One rail, as a type.
pub(crate) trait Check: Send + Sync + 'static {
    /// The name of the rail.
    const NAME: &'static str;

    /// Calls the rail.
    fn check(call: &ToolCallInputs, ctx: &mut RunContext) -> impl Future<Output = Answer> + Send;

    /// Calls the rail with a context that several hooks share. A rail that needs the context locks it.
    #[cfg(feature = "rig")]
    fn check_shared(call: &ToolCallInputs, ctx: &tokio::sync::Mutex<RunContext>)
    -> impl Future<Output = Answer> + Send;
}

/// Rails in the order in which they run.
pub(crate) trait List: Send + Sync + 'static {
    /// Passes each rail to the visitor, from the first to the last.
    fn show(visitor: &mut impl Visitor);

    /// Returns the number of rails.
    fn len() -> usize {
        let mut count = Count(0);
        Self::show(&mut count);
        count.0
    }
}

struct Count(usize);

impl Visitor for Count {
    fn rail<C: Check>(&mut self) {
        self.0 += 1;
    }
}

/// A visitor of the rails of a list.
pub(crate) trait Visitor {
    /// Visits one rail.
    fn rail<C: Check>(&mut self);
}

impl List for () {
    fn show(_: &mut impl Visitor) {}
}

impl<C: Check, L: List> List for (C, L) {
    fn show(visitor: &mut impl Visitor) {
        visitor.rail::<C>();
        L::show(visitor);
    }
}

/// The type of a list of rails.
macro_rules! list {
    () => { () };
    ($first:ty $(, $rest:ty)* $(,)?) => { ($first, list![$($rest),*]) };
}

/// Writes the type of a rail. It acts on the decision of the rail as the hand-written code does.
macro_rules! check {
    ($check:ident = [$($output:tt)+] $rail:ident $args:tt as $call:ident, $ctx:ident) => {
        pub(crate) enum $check {}

        impl Check for $check {
            const NAME: &'static str = stringify!($rail);

            async fn check($call: &ToolCallInputs, $ctx: &mut RunContext) -> Answer {
                let _ = (&$call, &$ctx);
                check!(@step [$($output)+] $rail $args);
                Ok(hand_written::Decision::Continue)
            }

            #[cfg(feature = "rig")]
            async fn check_shared($call: &ToolCallInputs, $ctx: &tokio::sync::Mutex<RunContext>) -> Answer {
                let _ = (&$call, &$ctx);
                check!(@lock $ctx $args);
                check!(@step [$($output)+] $rail $args);
                Ok(hand_written::Decision::Continue)
            }
        }
    };
    (@step [$($output:tt)+] $rail:ident ($($arg:ident),*)) => {
        hand_written!({ $($output)+: $rail @ inspect($($arg),*) })
    };
    (@lock $ctx:ident (call)) => {};
    (@lock $ctx:ident $args:tt) => {
        let $ctx = &mut *$ctx.lock().await;
    };
}

/// The types of the rails that do not wait. Fifty rails are too many for a stack without boxes: its type would exceed the
/// compiler's limit for recursion.
mod checks {
    use exo_rails::prelude::*;

    use super::{Answer, Check};
    use crate::dispatch::hand_written::{self, hand_written};
    use crate::dispatch::rails::inspect;

    check!(NoBlankName = [Verdict] no_blank_name(call) as call, ctx);
    check!(ShortName = [Verdict] short_name(call) as call, ctx);
    check!(NoDeletes = [RailAction] no_deletes(call) as call, ctx);
    check!(AsciiName = [Result<Verdict>] ascii_name(call) as call, ctx);
    check!(KnownId = [Option<RailAction>] known_id(call) as call, ctx);
    check!(NoExtras = [RailAction] no_extras(call) as call, ctx);
    check!(RightEvent = [Result<RailAction>] right_event(call, ctx) as call, ctx);
    check!(StepBudget = [RailAction] step_budget(call, ctx) as call, ctx);
    check!(NoPrivateTools = [Verdict] no_private_tools(call) as call, ctx);
    check!(RetryLimit = [Option<Verdict>] retry_limit(ctx) as call, ctx);
    check!(PlainArguments = [Result<RailAction>] plain_arguments(call) as call, ctx);
    check!(NoShell = [RailAction] no_shell(call) as call, ctx);
    check!(BusyTool = [RailAction] busy_tool(call) as call, ctx);
    check!(ShortId = [Option<RailAction>] short_id(call) as call, ctx);
    check!(CachedTool = [RailAction<ToolOutput>] cached_tool(call, ctx) as call, ctx);
    check!(FirstAttempt = [RailAction] first_attempt(call, ctx) as call, ctx);
    check!(WatchStep = [()] watch_step(call, ctx) as call, ctx);
    check!(WatchRun = [Result<()>] watch_run(ctx) as call, ctx);
    check!(WatchArguments = [()] watch_arguments(call) as call, ctx);
    check!(WatchId = [()] watch_id(call) as call, ctx);
}

pub(crate) type None = list![];

pub(crate) type One = list![checks::NoShell];

pub(crate) type Five =
    list![checks::ShortName, checks::KnownId, checks::StepBudget, checks::NoShell, checks::WatchArguments];

pub(crate) type Twenty = list![
    checks::NoBlankName,
    checks::ShortName,
    checks::NoDeletes,
    checks::AsciiName,
    checks::KnownId,
    checks::NoExtras,
    checks::RightEvent,
    checks::StepBudget,
    checks::NoPrivateTools,
    checks::RetryLimit,
    checks::PlainArguments,
    checks::NoShell,
    checks::BusyTool,
    checks::ShortId,
    checks::CachedTool,
    checks::FirstAttempt,
    checks::WatchStep,
    checks::WatchRun,
    checks::WatchArguments,
    checks::WatchId,
];
