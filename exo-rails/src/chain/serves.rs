//! The trait that runs the rails of one event.

use std::marker::PhantomData;

use crate::chain::around::AroundMode;
use crate::chain::sorting::Facts;
use crate::chain::walk::{Mode, StepsOn, Walk};
use crate::context::RailContext;
use crate::decision::Outcome;
use crate::event::{Begins, CustomOperation, Decoy, Event, Next, Operation, OperationResult};

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
    /// Returns `true` if the event has rails. If it has none, the library does not enter the event, and the context stays
    /// at the previous event.
    fn has_rails(&self) -> bool
    where
        Self: Sized,
    {
        Self::steps().has_rails()
    }

    /// Returns `true` if a rail may change the payload. A guarded operation then keeps a copy of its inputs for retries.
    fn may_rewrite(&self) -> bool
    where
        Self: Sized,
    {
        Self::steps().may_rewrite(self)
    }

    /// Returns how many characters of a streamed answer the rails need to see together. The library calls this only for
    /// [`LlmChunk`](crate::events::LlmChunk), when the answer begins.
    ///
    /// The library holds back this number of characters, unless the rails declare for each window how much of it is
    /// [undecided](crate::StreamWindow). By default, a guard set holds back the whole answer.
    ///
    /// If your guard set changes windows itself, it must call [`StreamWindow::replace`](crate::StreamWindow::replace) or
    /// [`StreamWindow::hold_back`](crate::StreamWindow::hold_back). Otherwise its rails may release text that the guard set
    /// still needs.
    fn stream_window(&self) -> usize
    where
        Self: Sized,
    {
        Self::steps().stream_window(self)
    }

    /// Returns `true` if a rail may read [how long](RailContext::elapsed) the operation before the event took. A guarded
    /// operation then reads the clock.
    fn is_timed(&self) -> bool
    where
        Self: Sized,
    {
        Self::steps().timed()
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

    /// Returns `true` if a rail that is present surrounds the operation that the event begins. Only chains know.
    #[doc(hidden)]
    fn surrounds(&self) -> bool
    where
        Self: Sized,
    {
        Self::steps().surrounds(self)
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
pub trait ServesEvent<E: Event>: Serves<E> {}

#[diagnostic::do_not_recommend]
impl<E: Event, R: Serves<E>> ServesEvent<E> for R {}

/// Forwards the methods of `Serves` to the guard set inside a wrapper, in an `impl<E: Event, …> Serves<E>`. The wrapper
/// implements `run_rails` itself.
macro_rules! forward_to {
    ($self:ident => $inner:expr) => {
        $crate::chain::forward_to!($self => $inner, but not run_always_rails);

        fn run_always_rails<'a>(
            &'a $self,
            payload: E::Payload<'a>,
            ctx: &'a mut $crate::context::RailContext,
        ) -> impl Future<Output = ()> + Send {
            $crate::chain::Serves::<E>::run_always_rails($inner, payload, ctx)
        }
    };
    ($self:ident => $inner:expr, but not run_always_rails) => {
        #[inline]
        fn may_rewrite(&$self) -> bool {
            $crate::chain::Serves::<E>::may_rewrite($inner)
        }

        fn stream_window(&$self) -> usize {
            $crate::chain::Serves::<E>::stream_window($inner)
        }

        #[inline]
        fn is_timed(&$self) -> bool {
            $crate::chain::Serves::<E>::is_timed($inner)
        }

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

/// A guard set that serves the events of a [custom operation](derive@crate::Operation).
///
/// The library implements it for every guard set that serves these events. Use it as a bound in code that is generic over
/// guard sets:
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{Operation, ServesOperation};
///
/// #[derive(Clone, Debug)]
/// struct Document(String);
///
/// #[derive(Debug)]
/// struct Receipt;
///
/// #[derive(Operation)]
/// #[operation(inputs = Document, output = Receipt)]
/// struct StoreDocument;
///
/// async fn archive<R>(rails: &R, document: Document, ctx: &mut RunContext) -> Result<Receipt, RunError>
/// where
///     R: GuardSet + ServesOperation<StoreDocument>,
/// {
///     rails.guard_operation::<StoreDocument, _>(document, ctx, |_| async { Ok::<_, OperationError>(Receipt) }).await
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not guard the operation `{O}`",
    label = "does not guard `{O}`",
    note = "a chain guards the operations of the library, and the custom operations that it lists: `#[chain(operations = [{O}])]`",
    note = "`RailManager`, `HookManager` and `NoRails` guard every operation"
)]
pub trait ServesOperation<O: CustomOperation, Impl = ()>: Serves<O::Pre> + Serves<O::Post> + Serves<O::Failed> {}

#[diagnostic::do_not_recommend]
impl<O: CustomOperation, R: Serves<O::Pre> + Serves<O::Post> + Serves<O::Failed>> ServesOperation<O> for R {}

// See `Decoy`.
#[diagnostic::do_not_recommend]
impl<O, R, Impl: Decoy> ServesOperation<O, Impl> for R
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
    /// See [`Serves::has_rails`].
    fn has_rails(self) -> bool;

    /// See [`Serves::may_rewrite`].
    fn may_rewrite(self, chain: &C) -> bool;

    /// See [`Serves::stream_window`].
    fn stream_window(self, chain: &C) -> usize;

    /// See [`Serves::is_timed`].
    fn timed(self) -> bool;

    /// See [`Serves::surrounds`].
    fn surrounds(self, chain: &C) -> bool;

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
    fn has_rails(self) -> bool {
        true
    }

    #[inline]
    fn may_rewrite(self, _: &C) -> bool {
        true
    }

    #[inline]
    fn stream_window(self, _: &C) -> usize {
        usize::MAX
    }

    #[inline]
    fn timed(self) -> bool {
        true
    }

    #[inline]
    fn surrounds(self, _: &C) -> bool {
        true
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
    fn has_rails(self) -> bool {
        L::Facts::has_rails::<E>()
    }

    #[inline]
    fn may_rewrite(self, chain: &L::Chain) -> bool {
        // A constant, unless the chain has optional rails.
        L::Facts::may_rewrite::<E>() && (!L::Facts::OPTIONAL || L::Steps::may_rewrite(chain))
    }

    #[inline]
    fn stream_window(self, chain: &L::Chain) -> usize {
        L::Steps::stream_window(chain)
    }

    #[inline]
    fn timed(self) -> bool {
        L::Facts::is_timed::<E>()
    }

    #[inline]
    fn surrounds(self, chain: &L::Chain) -> bool {
        L::Steps::surrounds(chain)
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
    if rails.has_rails() {
        ctx.enter(E::POINT);
    }
    rails.run_rails(payload, ctx)
}
