//! Any guard set behind one type.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::chain::lifecycle::LifecycleEvents;
use crate::chain::stands_alone::StandsAlone;
use crate::chain::{Chain, ChainOutput, Serves};
use crate::context::RailContext;
use crate::decision::{Decision, Outcome, PlacedRail};
use crate::event::{
    Begins, BoxedNext, ContextAssembled, ContextOverflow, Dropped, Error, Event, Finished, LlmChunk, LlmError,
    MemoryRecalled, MemoryStored, Next, OneLayer, Operation, OperationResult, PostCompaction, PostLlmCall,
    PostToolCall, PreCompaction, PreLlmCall, PreToolCall, SessionEnd, SessionStart, Start, Suspended, ToolError,
};
use crate::guard_set::{GuardSet, HookManager, NoRails, ObserverFuture, RailManager};
use crate::point::{DEFAULT_PRIORITY, HookPoint, RailInfo, SourceLocation, event_table};
use crate::rail::{EventFact, EventSet, FactKind, Presence, Rail, RailOn, Row, facts};

/// Any guard set behind one type. Use it when the program chooses its guard set at run time.
///
/// ```
/// use exo_rails::DynGuardSet;
/// use exo_rails::prelude::*;
///
/// #[rail(on = [PreToolCall])]
/// fn no_shell(call: &ToolCallInputs) -> Verdict {
///     Verdict::abort_if(call.tool_name == "shell", "no shell")
/// }
///
/// #[rail(on = [PreToolCall])]
/// fn log(call: &ToolCallInputs) { println!("{}", call.tool_name) }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// # let strict = true;
/// let rails = if strict { DynGuardSet::new(rail_chain![no_shell, log]) } else { DynGuardSet::new(rail_chain![log]) };
///
/// let mut call = ToolCallInputs::new("shell");
/// let decision = rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("demo")).await?;
/// assert_eq!(decision.rail_name(), Some("no_shell"));
/// # Ok(()) }
/// ```
///
/// A `DynGuardSet` is a guard set, so you can pass it wherever a guard set is expected: to an agent, or as the guard set of
/// `guard_tool_call`. A `DynGuardSet` is also a rail: it can be a field of a chain, or a rail of a
/// [`RailManager`](crate::RailManager). A clone refers to the same guard set.
///
/// A dispatch makes one more allocation than the dispatch of the guard set inside. An event without rails allocates
/// nothing.
///
/// You cannot register a `DynGuardSet` with a `HookManager`. A hook cannot run rails around an operation, and the type of a
/// `DynGuardSet` does not determine whether it has such rails. Register the chains themselves instead.
///
/// `Box<dyn GuardSet>`, `Arc<dyn GuardSet>` and `&dyn GuardSet` are guard sets too, but not rails.
///
/// The compiler still checks each rail and each chain. The library reads the facts that depend on the type of the guard set
/// at run time: whether its rails may change a payload, and how much of a streamed answer they hold back. For the compiler,
/// the rails in a `DynGuardSet` may be absent. So as a rail of a chain, a `DynGuardSet` does not meet a requirement of the
/// chain.
///
/// # Custom events
///
/// A `DynGuardSet` serves the events of the library. For custom events, declare a trait that includes them. The compiler
/// then checks that each guard set serves them:
///
/// ```
/// use std::sync::Arc;
///
/// use exo_rails::prelude::*;
/// use exo_rails::{DynGuardSet, DynServes};
///
/// #[derive(Event)]
/// #[event(payload = &mut String, allows = "abort")]
/// struct DocumentStored;
///
/// trait MyGuardSet: GuardSet + DynServes<DocumentStored> {}
/// impl<R: GuardSet + DynServes<DocumentStored>> MyGuardSet for R {}
///
/// #[rail(on = [DocumentStored])]
/// fn shorten(text: &mut String) { text.truncate(3) }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let chain = rail_chain![#[chain(events = [DocumentStored])] shorten];
/// let rails: DynGuardSet<dyn MyGuardSet> = DynGuardSet::of(Arc::new(chain));
/// let mut text = "a text".to_owned();
/// assert!(rails.dispatch::<DocumentStored>(&mut text, &mut RunContext::new("demo")).await?.is_continue());
/// assert_eq!(text, "a t");
/// # Ok(()) }
/// ```
pub struct DynGuardSet<R: ?Sized = dyn GuardSet>(Arc<R>);

/// [`Serves`] for a guard set behind `dyn`. The library implements it for every type that serves the event.
pub trait DynServes<E: Event>: Send + Sync {
    /// See [`Serves::fact`]. A boolean is 0 or 1.
    #[doc(hidden)]
    fn dyn_fact(&self, fact: FactKind) -> usize;

    /// See [`Serves::surround`].
    #[doc(hidden)]
    fn dyn_surround<'a>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: BoxedNext<'a, E::Operation>,
    ) -> BoxFuture<'a, OperationResult<E::Operation>>
    where
        E: Begins;

    /// See [`Serves::run_rails`].
    #[doc(hidden)]
    fn dyn_run_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> OutcomeFuture<'a, E>;

    /// See [`Serves::run_always_rails`].
    #[doc(hidden)]
    fn dyn_run_always_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> ObserverFuture<'a>;
}

/// The boxed future of a dispatch behind `dyn`.
type OutcomeFuture<'a, E> = Pin<Box<dyn Future<Output = Outcome<E>> + Send + 'a>>;

#[diagnostic::do_not_recommend]
impl<E: Event, R: Serves<E>> DynServes<E> for R {
    fn dyn_fact(&self, fact: FactKind) -> usize {
        match fact {
            FactKind::HasRails => self.fact::<facts::HasRails>().into(),
            FactKind::MayRewrite => self.fact::<facts::MayRewrite>().into(),
            FactKind::WindowSize => self.fact::<facts::WindowSize>(),
            FactKind::IsTimed => self.fact::<facts::IsTimed>().into(),
            FactKind::Surrounds => self.fact::<facts::Surrounds>().into(),
        }
    }

    fn dyn_surround<'a>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: BoxedNext<'a, E::Operation>,
    ) -> BoxFuture<'a, OperationResult<E::Operation>>
    where
        E: Begins,
    {
        Box::pin(self.surround(inputs, next))
    }

    fn dyn_run_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> OutcomeFuture<'a, E> {
        Box::pin(self.run_rails(payload, ctx))
    }

    fn dyn_run_always_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> ObserverFuture<'a> {
        Box::pin(self.run_always_rails(payload, ctx))
    }
}

impl DynGuardSet {
    /// Wraps any guard set that serves the events of the library.
    #[must_use]
    pub fn new(rails: impl GuardSet + 'static) -> Self {
        Self(Arc::new(rails))
    }
}

impl<R: ?Sized> DynGuardSet<R> {
    /// Wraps a guard set behind a trait that includes [custom events](Self#custom-events).
    #[must_use]
    pub const fn of(rails: Arc<R>) -> Self {
        Self(rails)
    }
}

impl<R: ?Sized> Clone for DynGuardSet<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R: ?Sized> fmt::Debug for DynGuardSet<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynGuardSet").finish_non_exhaustive()
    }
}

impl<C: Chain + GuardSet + 'static> From<C> for DynGuardSet {
    fn from(chain: C) -> Self {
        Self::new(chain)
    }
}

/// Implements the conversions from the guard sets that are not chains.
macro_rules! from_guard_sets {
    ($($guard_set:ty),*) => {$(
        impl From<$guard_set> for DynGuardSet {
            fn from(rails: $guard_set) -> Self {
                Self::new(rails)
            }
        }
    )*};
}

from_guard_sets!(RailManager, HookManager, NoRails);

/// Implements [`Serves`] for a guard set behind `dyn`, for the events that the trait includes.
macro_rules! serves_behind_dyn {
    ($([$($generics:tt)*] $guard_set:ty, as $behind:ty: |$this:ident| $rails:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, E: Event> Serves<E> for $guard_set
        where
            $behind: DynServes<E>,
        {
            fn fact<F: EventFact>(&self) -> F::Value {
                let $this = self;
                F::of($rails.dyn_fact(F::KIND))
            }

            async fn surround<'a, N>(
                &'a self,
                inputs: &'a <E::Operation as Operation>::Inputs,
                next: N,
            ) -> OperationResult<E::Operation>
            where
                E: Begins,
                N: Next<E::Operation>,
            {
                let $this = self;
                $rails.dyn_surround(inputs, BoxedNext::new(next)).await
            }

            async fn run_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
                let $this = self;
                if $rails.dyn_fact(FactKind::HasRails) > 0 { $rails.dyn_run_rails(payload, ctx).await } else { Ok(Decision::Continue) }
            }

            async fn run_always_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) {
                let $this = self;
                if $rails.dyn_fact(FactKind::HasRails) > 0 {
                    $rails.dyn_run_always_rails(payload, ctx).await;
                }
            }
        }
    )*};
}

serves_behind_dyn! {
    [R: ?Sized] DynGuardSet<R>, as R: |this| this.0;
}

/// Implements [`Serves`] for the pointers to `dyn GuardSet`. The parent module has the pointers to other guard sets.
macro_rules! pointers {
    ($($dyn:ty),*) => {
        serves_behind_dyn! {$(
            ['d] Box<$dyn>, as $dyn: |this| (**this);
            ['d] Arc<$dyn>, as $dyn: |this| (**this);
            ['d] &'d $dyn, as $dyn: |this| (**this);
        )*}
    };
}

pointers!(dyn GuardSet + 'd, dyn GuardSet + Send + 'd, dyn GuardSet + Send + Sync + 'd);

/// As a rail, a `DynGuardSet` is on every event of the library. The guard set inside determines at run time what happens
/// there.
#[diagnostic::do_not_recommend]
impl Rail for DynGuardSet {
    const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: Row = Row::new(
        RailInfo { name: "DynGuardSet", priority: DEFAULT_PRIORITY, declared: SourceLocation::here(&module_path!()) },
        HookPoint::ALL,
        HookPoint::ALL,
    )
    .always(HookPoint::ALL)
    .around_in(EventSet::of(HookPoint::ALL))
    .timed_in(EventSet::of(HookPoint::ALL))
    .present(Presence::Optional);

    type Events = LifecycleEvents;
}

#[diagnostic::do_not_recommend]
impl<E: Event> RailOn<E> for DynGuardSet
where
    Self: Serves<E>,
{
    type Out = ChainOutput<E, OneLayer>;

    async fn call<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Self::Out {
        ChainOutput::new(self.run_rails(payload, ctx).await)
    }

    async fn call_at<'a>(
        &'a self,
        mut payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> Self::Out {
        let outside = ctx.go_into(at.place);
        let outcome = self.run_rails(E::reborrow(&mut payload), ctx).await;
        ctx.return_to(outside);
        ChainOutput::new(outcome)
    }

    fn surround<'a, N>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Next<E::Operation>,
    {
        Serves::<E>::surround(self, inputs, next)
    }

    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        _: &'a PlacedRail,
    ) -> impl Future<Output = ()> + Send {
        Serves::<E>::run_always_rails(self, payload, ctx)
    }

    fn fact<F: EventFact>(&self) -> F::Value {
        Serves::<E>::fact::<F>(self)
    }
}

macro_rules! dyn_lifecycle {
    ($(
        $(#[$doc:meta])*
        $event:ident = $number:literal $name:literal $when:ident
            ($($mode:ident $part:ident: $type:ty),+) -> $substitute:ident, allows $allows:ident;
    )*) => {
        /// A guard set behind `dyn` that serves every event of the library. [`GuardSet`] needs this trait as one bound.
        #[doc(hidden)]
        pub trait DynLifecycle: DynServes<StandsAlone> + $(DynServes<$event> +)* {}

        impl<R: DynServes<StandsAlone> + $(DynServes<$event> +)*> DynLifecycle for R {}
    };
}

event_table!(dyn_lifecycle);
