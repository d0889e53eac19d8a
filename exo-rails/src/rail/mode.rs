//! Modes: whether a rail acts on its decision.

use std::future::ready;
use std::ops::ControlFlow;

use futures_util::FutureExt;
use futures_util::future::Either;
use serde::{Deserialize, Serialize};

use crate::context::RailContext;
use crate::decision::{Decision, OnFault, PlacedRail, ShadowPayload};
use crate::event::{Begins, CopiedPayload, Next, Operation, OperationResult};
use crate::point::RailInfo;
use crate::rail::wrapped::OptionalOutput;
use crate::rail::{EventFact, FactKind, Presence, Rail, RailOn, Row, ValueUse, facts};

/// Whether a rail or guard set acts on its decisions: see [`InMode`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The rail decides, and the library acts on the decision.
    #[default]
    Enforce,
    /// The rail decides, and the library only reports the decision. Use it to try out a new rail on real runs.
    Shadow,
    /// The library does not call the rail.
    Off,
}

impl Mode {
    /// Returns whether a fact of what is in this mode is true of the event too.
    pub(crate) const fn keeps(self, fact: FactKind) -> bool {
        match self {
            Self::Enforce => true,
            Self::Shadow => matches!(fact, FactKind::HasRails | FactKind::IsTimed),
            Self::Off => false,
        }
    }
}

/// A rail or guard set in a [`Mode`], which the program chooses at run time.
///
/// List it in a chain as a field, like an [`Option`], or use it as a guard set. [`GuardSet::shadow`](crate::GuardSet::shadow)
/// puts a guard set in shadow.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{InMode, Mode, NoRails};
///
/// struct Blocked(&'static str);
///
/// #[rail(priority = 10)]
/// impl Blocked {
///     #[on(PreToolCall)]
///     fn tool(&self, call: &ToolCallInputs) -> Verdict {
///         Verdict::abort_if(call.tool_name == self.0, "it is blocked")
///     }
/// }
///
/// rail_chain! { struct Guards { blocked: InMode<Blocked> } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// for (mode, continues) in [(Mode::Enforce, false), (Mode::Shadow, true), (Mode::Off, true)] {
///     let rails = Guards { blocked: InMode::new(mode, Blocked("shell")) };
///     let mut ctx = RunContext::new("demo");
///     let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("shell"), &mut ctx).await?;
///     assert_eq!(decision.is_continue(), continues, "{mode:?}");
/// }
/// # Ok(()) }
/// ```
///
/// # In shadow
///
/// A rail in shadow changes nothing:
///
/// - It receives a copy of the parts of the payload that it may change. So the payload of its event must be
///   [`CopiedPayload`], and a chain with a rail in shadow on another event does not compile.
/// - Its context has values of its own for the event, the run and the session. It reads the values that the program and other
///   rails have put there, until it puts a value of the same type there itself. A [resumed](crate::RunContext::restore) run
///   begins with the values of the run that was saved, without the values of its rails in shadow.
/// - Messages for the model, retries and provided values stay in shadow. Usage that the rail causes itself is not counted for
///   the run.
/// - [`ctx.is_shadow()`](crate::RunScope::is_shadow) is true. A rail with effects outside of the run must ask it.
/// - If the rail surrounds an operation, the library runs the operation without the rail.
/// - A fault is reported as a decision, and the run goes on. A panic that the rail does not declare as a fault unwinds like
///   any other panic.
///
/// The run waits for the rail, so a rail in shadow takes as much time as an enforced one. A streamed answer leaves as if the
/// rail did not exist: the rail holds text back in a window of its own.
///
/// The library reports each decision as a [`ShadowDecision`](crate::ShadowDecision).
///
/// # In a chain
///
/// An `InMode` may be off, so it counts as a rail that may be absent: it does not meet a requirement of the chain, and no
/// other rail may need a value that it provides. It cannot be in a chain with
/// [`concurrent`](macro@crate::rail_chain#concurrent-rails): put the concurrent chain in a mode instead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InMode<R> {
    mode: Mode,
    rail: R,
}

impl<R> InMode<R> {
    /// Puts a rail or guard set in a mode.
    pub const fn new(mode: Mode, rail: R) -> Self {
        Self { mode, rail }
    }

    /// Returns the mode.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the rail or guard set.
    pub const fn inner(&self) -> &R {
        &self.rail
    }
}

#[diagnostic::do_not_recommend]
impl<R: Rail> Rail for InMode<R> {
    const INFO: RailInfo = R::INFO;
    const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: Row = R::DECLARATION.present(Presence::Optional).in_turn();
    const AFTER: &'static [RailInfo] = R::AFTER;
    const BEFORE: &'static [RailInfo] = R::BEFORE;
    const VALUES: &'static [ValueUse] = R::VALUES;
    type Events = R::Events;
}

impl<R: Rail + Sync> InMode<R> {
    /// Calls the rail in shadow and reports its decision.
    async fn call_in_shadow<E: CopiedPayload>(
        &self,
        mut payload: E::Payload<'_>,
        ctx: &mut RailContext,
        at: &PlacedRail,
    ) where
        R: RailOn<E>,
    {
        let rail = at.identity(ctx.path());
        let (may_rewrite, window) =
            (RailOn::<E>::fact::<facts::MayRewrite>(&self.rail), RailOn::<E>::fact::<facts::WindowSize>(&self.rail));
        let copied = ShadowPayload::<E>::new(E::reborrow(&mut payload), rail, may_rewrite, window);
        let Some(mut copied) = copied else { return };
        let mut shadow = ctx.in_shadow(rail);
        let output = self.rail.call_at(copied.lend(E::reborrow(&mut payload)), &mut shadow, at).await;
        let outcome = match R::decide(output, at, &shadow) {
            ControlFlow::Continue(()) => Ok(Decision::Continue),
            ControlFlow::Break(outcome) => outcome,
        };
        copied.report(payload, &outcome, Some(&at.name), ctx);
    }
}

#[diagnostic::do_not_recommend]
impl<E: CopiedPayload, R: RailOn<E> + Sync> RailOn<E> for InMode<R> {
    type Out = OptionalOutput<R::Out>;
    const ALWAYS: bool = R::ALWAYS;
    const ON_FAULT: OnFault = R::ON_FAULT;

    async fn call<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Self::Out {
        let at = Self::DECLARATION.placed::<Self>(0, false, R::ON_FAULT);
        match self.mode {
            Mode::Enforce => OptionalOutput::present(self.rail.call(payload, ctx).await),
            Mode::Shadow => {
                self.call_in_shadow::<E>(E::reborrow(&mut payload), ctx, &at).await;
                OptionalOutput::ABSENT
            }
            Mode::Off => OptionalOutput::ABSENT,
        }
    }

    #[inline]
    fn call_at<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> impl Future<Output = Self::Out> + Send {
        match self.mode {
            Mode::Enforce => Either::Left(self.rail.call_at(payload, ctx, at).map(OptionalOutput::present)),
            Mode::Shadow => {
                // Boxed, so that the future of an enforced rail does not grow.
                let call = Box::pin(self.call_in_shadow::<E>(payload, ctx, at)).map(|()| OptionalOutput::ABSENT);
                Either::Right(Either::Left(call))
            }
            Mode::Off => Either::Right(Either::Right(ready(OptionalOutput::ABSENT))),
        }
    }

    async fn call_if_always<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext, at: &'a PlacedRail) {
        match self.mode {
            Mode::Enforce => self.rail.call_if_always(payload, ctx, at).await,
            Mode::Shadow => {
                let mut copies = E::Copies::default();
                let mut shadow = ctx.in_shadow(at.identity(ctx.path()));
                let copy = E::copied(E::reborrow(&mut payload), &mut copies);
                self.rail.call_if_always(copy, &mut shadow, at).await;
            }
            Mode::Off => {}
        }
    }

    #[inline]
    fn surround<'a, N>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Next<E::Operation>,
    {
        match self.mode {
            Mode::Enforce => Either::Left(self.rail.surround(inputs, next)),
            Mode::Shadow | Mode::Off => Either::Right(next.run()),
        }
    }

    #[inline]
    fn fact<F: EventFact>(&self) -> F::Value {
        if self.mode.keeps(F::KIND) { self.rail.fact::<F>() } else { F::NONE }
    }
}
