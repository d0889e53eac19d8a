//! The ways to dispatch an event to a set of rails. A new one is an `impl Variant` and a line in [`cases`].

use std::marker::PhantomData;

use exo_rails::prelude::*;
use exo_rails::{DuplicateRail, HookPoint, Reason, RetryRequest, RunOn};

use crate::hand_written;
use crate::measure::{Case, Measured};
use crate::rails::{Set, inspect, wait};

/// A way to dispatch the event.
pub(crate) trait Variant: 'static {
    /// What it answers.
    type Answer: Answer;

    /// Dispatches the event.
    fn dispatch<'a>(
        &'a self,
        call: &'a mut ToolCallInputs,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Self::Answer>;
}

/// Every row of the table. Those of one set stand together, so that they are measured one after the other.
pub(crate) fn cases() -> Result<Vec<Case>, DuplicateRail> {
    let sets = [
        variants::<inspect::None>("inspect")?,
        variants::<inspect::One>("inspect")?,
        variants::<inspect::Five>("inspect")?,
        variants::<inspect::Twenty>("inspect")?,
        variants::<wait::None>("await")?,
        variants::<wait::One>("await")?,
        variants::<wait::Five>("await")?,
        variants::<wait::Twenty>("await")?,
    ];
    Ok(sets.into_iter().flatten().collect())
}

/// The variants of one set; the others are held against the first.
fn variants<S: Set>(kind: &'static str) -> Result<[Case; 4], DuplicateRail> {
    let mut hooks = HookManager::new();
    S::chain().register(&mut hooks);
    let case = |variant, measured| Case { variant, kind, rails: S::len(), measured };
    Ok([
        case(HAND_WRITTEN, measured(ByHand::<S>(PhantomData))),
        case("static", measured(Guards(S::chain()))),
        case("rail_manager", measured(Guards(S::manager()?))),
        case("hook_manager", measured(Guards(hooks))),
    ])
}

/// The variant that the others are held against.
pub(crate) const HAND_WRITTEN: &str = "hand_written";

fn measured(variant: impl Variant) -> Box<dyn Measured> {
    Box::new(variant)
}

/// Code written by hand.
struct ByHand<S>(PhantomData<S>);

impl<S: Set> Variant for ByHand<S> {
    type Answer = Result<hand_written::Decision, hand_written::Fault>;

    fn dispatch<'a>(
        &'a self,
        call: &'a mut ToolCallInputs,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Self::Answer> {
        S::by_hand(call, ctx)
    }
}

/// The library's guard sets, static or not.
struct Guards<R>(R);

impl<R: Rails + RunOn<PreToolCall> + 'static> Variant for Guards<R> {
    type Answer = Result<Decision<ToolOutput>, RailFault>;

    fn dispatch<'a>(
        &'a self,
        call: &'a mut ToolCallInputs,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Self::Answer> {
        self.0.run::<PreToolCall>(call, ctx)
    }
}

/// What a dispatch answers, whatever its type: to see that all variants answer the same.
pub(crate) trait Answer {
    /// Who stopped the event, how and why; `None` when every rail continued.
    fn stopped(self) -> Option<Stopped>;
}

/// Who stopped the event, how and why.
#[derive(Debug, PartialEq)]
pub(crate) struct Stopped {
    by: String,
    how: How,
}

#[derive(Debug, PartialEq)]
enum How {
    Skip(Reason, Option<ToolOutput>),
    Retry(RetryRequest),
    Abort(HookPoint, Reason),
    Fault(HookPoint, String),
}

impl Stopped {
    fn new(by: &str, how: How) -> Self {
        Self { by: by.to_owned(), how }
    }
}

impl Answer for Result<Decision<ToolOutput>, RailFault> {
    fn stopped(self) -> Option<Stopped> {
        Some(match self {
            Ok(Decision::Continue) => return None,
            Ok(Decision::Skip { by, reason, substitute }) => Stopped::new(by.name, How::Skip(reason, substitute)),
            Ok(Decision::Retry { by, request, .. }) => Stopped::new(by.name, How::Retry(request)),
            Ok(Decision::Abort(abort)) => Stopped::new(abort.rail_name, How::Abort(abort.event, abort.reason)),
            Err(fault) => Stopped::new(fault.rail_name, How::Fault(fault.event, fault.cause.to_string())),
        })
    }
}

impl Answer for Result<hand_written::Decision, hand_written::Fault> {
    fn stopped(self) -> Option<Stopped> {
        use hand_written::Decision;

        Some(match self {
            Ok(Decision::Continue) => return None,
            Ok(Decision::Skip { by, reason, substitute }) => Stopped::new(by, How::Skip(reason, substitute)),
            Ok(Decision::Retry { by, request }) => Stopped::new(by, How::Retry(request)),
            Ok(Decision::Abort { by, event, reason }) => Stopped::new(by, How::Abort(event, reason)),
            Err(fault) => Stopped::new(fault.by, How::Fault(fault.event, fault.error.to_string())),
        })
    }
}
