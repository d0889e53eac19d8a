//! The trait that runs the rails of one event.

use std::marker::PhantomData;

use crate::chain::around::AroundMode;
use crate::chain::sorting::Facts;
use crate::chain::walk::{Mode, StepsOn, Walk};
use crate::context::RailContext;
use crate::decision::Outcome;
use crate::event::{Begins, CustomOperation, Decoy, Event, Next, Operation, OperationResult};
use crate::rail::{EventFact, FactKind, facts};

/// A guard set that serves event `E`.
///
/// A chain implements it for each event that it serves. [`RailManager`](crate::RailManager) and
/// [`HookManager`](crate::HookManager) implement it for every event. Implement it for a wrapper around a guard set, for
/// example for tracing. To run the rails of an event, call [`GuardSet::dispatch`](crate::GuardSet::dispatch).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not serve the event `{E}`",
    label = "does not serve `{E}`",
    note = "a chain serves the events of the library, and the custom events that it lists: `#[chain(events = [{E}])]`",
    note = "a `DynGuardSet` serves the events of the library, and the custom events that its trait has: `DynGuardSet<dyn MyGuardSet>`",
    note = "guard sets are chains made by `rail_chain!`, `RailManager`, `LiveRails`, `HookManager` and `NoRails`; a `DynGuardSet` holds one that is chosen at run time"
)]
pub trait Serves<E: Event>: Send + Sync {
    /// Returns a [fact](EventFact) about the rails of the event, for example whether a rail may change the payload. The default is
    /// [`EventFact::UNKNOWN`]: the library then assumes the most.
    ///
    /// A guard set that contains others forwards the question, or joins their answers:
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::{Event, EventFact, Outcome, Serves};
    ///
    /// /// Runs two guard sets, one after the other.
    /// struct Both<A, B>(A, B);
    ///
    /// impl<E: Event, A: Serves<E>, B: Serves<E>> Serves<E> for Both<A, B> {
    ///     fn fact<F: EventFact>(&self) -> F::Value {
    ///         F::join(Serves::<E>::fact::<F>(&self.0), Serves::<E>::fact::<F>(&self.1))
    ///     }
    ///
    ///     async fn run_rails<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
    ///         match self.0.run_rails(E::reborrow(&mut payload), ctx).await {
    ///             Ok(Decision::Continue) => self.1.run_rails(payload, ctx).await,
    ///             stopped => stopped,
    ///         }
    ///     }
    /// }
    /// ```
    #[inline]
    fn fact<F: EventFact>(&self) -> F::Value
    where
        Self: Sized,
    {
        Self::steps().fact::<F>(self)
    }

    /// Runs the rails of the event in their order, until one of them does not continue.
    ///
    /// This method is for custom guard sets, which call it on the guard sets inside them and return its result. A rail that
    /// runs another event calls [`dispatch`](crate::GuardSet::dispatch) with a [child](RailContext::child) of its context.
    /// A stop of that event does not stop the event of the rail.
    fn run_rails<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send
    where
        Self: Sized;

    /// Calls only the rails that are [always called](macro@crate::rail#rails-that-are-always-called). An outer guard set
    /// calls this after one of its other rails has stopped the event. A guard set that contains other guard sets calls it
    /// on each of them.
    fn run_always_rails<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send
    where
        Self: Sized,
    {
        Self::steps().run_always_rails(self, payload, ctx)
    }

    /// Runs an operation inside the rails that surround it.
    ///
    /// A guard set that contains other guard sets must forward this call to them. Otherwise their rails [around an
    /// operation](macro@crate::rail#rails-around-an-operation) do not run.
    #[inline]
    fn surround<'a, N>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        Self: Sized,
        E: Begins,
        N: Next<E::Operation>,
    {
        Self::steps().surround(self, inputs, next)
    }

    /// Returns the steps of a chain. The provided methods use them, so a chain implements only two methods. Other guard
    /// sets have no steps.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    fn steps() -> impl ChainSteps<E, Self>
    where
        Self: Sized,
    {
        NoSteps
    }
}

/// A guard set that serves event `E`. The methods that dispatch the event ask for this trait, because rustc would report for
/// [`Serves`] why a chain does not implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not serve the event `{E}`",
    label = "does not serve `{E}`",
    note = "a chain serves the events of the library, and the custom events that it lists: `#[chain(events = [{E}])]`",
    note = "a `DynGuardSet` serves the events of the library, and the custom events that its trait has: `DynGuardSet<dyn MyGuardSet>`",
    note = "guard sets are chains made by `rail_chain!`, `RailManager`, `LiveRails`, `HookManager` and `NoRails`; a `DynGuardSet` holds one that is chosen at run time"
)]
#[doc(hidden)]
pub trait ServesEvent<E: Event>: Serves<E> {
    // For the bound `Itself: Sized`, which is always met: see `RunFuture` in `operation/guard.rs`.
    type Itself;
}

#[diagnostic::do_not_recommend]
impl<E: Event, R: Serves<E> + ?Sized> ServesEvent<E> for R {
    type Itself = ();
}

/// Forwards methods of `Serves` to the guard set inside a wrapper, in an `impl<E: Event, …> Serves<E>`. With `entered` instead of `fact`,
/// the library enters every event, because the wrapper acts on it.
macro_rules! forward_to {
    ($self:ident => $inner:expr; $($method:ident),+) => {
        $($crate::chain::forward_to!(@$method $self, $inner);)+
    };
    (@fact $self:ident, $inner:expr) => {
        #[inline]
        fn fact<F: $crate::rail::EventFact>(&$self) -> F::Value {
            $crate::chain::Serves::<E>::fact::<F>($inner)
        }
    };
    (@entered $self:ident, $inner:expr) => {
        #[inline]
        fn fact<F: $crate::rail::EventFact>(&$self) -> F::Value {
            F::entered($crate::chain::Serves::<E>::fact::<F>($inner))
        }
    };
    (@run_always_rails $self:ident, $inner:expr) => {
        fn run_always_rails<'a>(
            &'a $self,
            payload: E::Payload<'a>,
            ctx: &'a mut $crate::context::RailContext,
        ) -> impl Future<Output = ()> + Send {
            $crate::chain::Serves::<E>::run_always_rails($inner, payload, ctx)
        }
    };
    (@surround $self:ident, $inner:expr) => {
        #[inline]
        fn surround<'a, N>(
            &'a $self,
            inputs: &'a <E::Operation as $crate::event::Operation>::Inputs,
            next: N,
        ) -> impl Future<Output = $crate::event::OperationResult<E::Operation>> + Send
        where
            E: $crate::event::Begins,
            N: $crate::event::Next<E::Operation>,
        {
            $crate::chain::Serves::<E>::surround($inner, inputs, next)
        }
    };
}

pub(crate) use forward_to;

/// A guard set that serves the events of a custom operation. [`ServesOperation`](crate::ServesOperation) asks for this
/// trait, because rustc would report each of the events.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not guard the operation `{O}`",
    label = "does not guard `{O}`",
    note = "a chain guards the operations of the library, and the custom operations that it lists: `#[chain(operations = [{O}])]`",
    note = "`RailManager`, `HookManager` and `NoRails` guard every operation"
)]
#[doc(hidden)]
pub trait ServesItsEvents<O: CustomOperation, Impl = ()>: Serves<O::Pre> + Serves<O::Post> + Serves<O::Failed> {}

#[diagnostic::do_not_recommend]
impl<O: CustomOperation, R: Serves<O::Pre> + Serves<O::Post> + Serves<O::Failed>> ServesItsEvents<O> for R {}

// See `Decoy`.
#[diagnostic::do_not_recommend]
impl<O, R, Impl: Decoy> ServesItsEvents<O, Impl> for R
where
    O: CustomOperation,
    R: Serves<O::Pre> + Serves<O::Post> + Serves<O::Failed>,
{
}

/// The facts of guard set `C` about event `E`, and the calls of the rails that are always called or that surround an
/// operation.
///
/// This is a trait because a chain must not name the type of its steps: this type contains its rails, which may be private.
pub trait ChainSteps<E: Event, C: ?Sized> {
    /// See [`Serves::fact`].
    fn fact<F: EventFact>(self, chain: &C) -> F::Value;

    /// See [`Serves::surround`].
    #[inline]
    fn surround<'a, N>(
        self,
        _: &'a C,
        _: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Next<E::Operation>,
        Self: Sized,
    {
        next.run()
    }

    /// See [`Serves::run_always_rails`].
    fn run_always_rails<'a>(
        self,
        chain: &'a C,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send;
}

/// The steps of a guard set that is not a chain. The library knows no facts about it and assumes the most.
struct NoSteps;

impl<E: Event, C: ?Sized> ChainSteps<E, C> for NoSteps {
    #[inline]
    fn fact<F: EventFact>(self, _: &C) -> F::Value {
        F::UNKNOWN
    }

    fn run_always_rails<'a>(
        self,
        _: &'a C,
        _: E::Payload<'a>,
        _: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// The steps of the chain whose list of rails is `L`.
#[derive(Debug)]
pub struct ListedSteps<L>(PhantomData<L>);

impl<L> ListedSteps<L> {
    /// The only value. It is the same for each event and each chain of the type.
    pub const NEW: Self = Self(PhantomData);
}

impl<E: Event, L: StepsOn<E, Chain: Serves<E>>> ChainSteps<E, L::Chain> for ListedSteps<L> {
    #[inline]
    fn fact<F: EventFact>(self, chain: &L::Chain) -> F::Value {
        match F::KIND {
            FactKind::HasRails => F::of(L::Facts::has_rails::<E>()),
            FactKind::IsTimed => F::of(L::Facts::is_timed::<E>()),
            // A constant, unless the chain has optional rails.
            FactKind::MayRewrite if !(L::Facts::OPTIONAL && L::Facts::may_rewrite::<E>()) => {
                F::of(L::Facts::may_rewrite::<E>())
            }
            FactKind::MayRewrite | FactKind::WindowSize | FactKind::Surrounds => L::Steps::fact::<F>(chain),
        }
    }

    fn run_always_rails<'a>(
        self,
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        L::Mode::run_always_rails::<E, L>(chain, payload, ctx)
    }

    #[inline]
    fn surround<'a, N>(
        self,
        chain: &'a L::Chain,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Next<E::Operation>,
    {
        <L::Mode as Mode>::Around::surround::<E, L, N>(chain, inputs, next)
    }
}

/// Enters an event and runs its rails.
#[inline]
pub(crate) fn enter<'a, E: Event, R: Serves<E>>(
    rails: &'a R,
    payload: E::Payload<'a>,
    ctx: &'a mut RailContext,
) -> impl Future<Output = Outcome<E>> + Send {
    if Serves::<E>::fact::<facts::HasRails>(rails) {
        ctx.enter(E::POINT);
    }
    rails.run_rails(payload, ctx)
}
