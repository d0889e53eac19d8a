//! What runs the rails of one event.

use std::marker::PhantomData;

use crate::chain::around::AroundMode;
use crate::chain::sorting::Facts;
use crate::chain::walk::{Mode, StepsOn, Walk};
use crate::context::RailContext;
use crate::decision::Outcome;
use crate::event::{Begins, CustomOperation, Decoy, Event, Next, Operation, OperationResult};

/// A guard set that serves event `E`.
///
/// Chains implement it for the events that they serve, [`RailManager`](crate::RailManager) and
/// [`HookManager`](crate::HookManager) for every event. Implement it to put something around a guard set:
/// tracing, say. Users call [`GuardSet::dispatch`](crate::GuardSet::dispatch).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not serve the event `{E}`",
    label = "does not serve `{E}`",
    note = "a chain serves the events of the library, and the custom events that it names: `#[chain(events = [{E}])]`",
    note = "a `DynGuardSet` serves the events of the library, and the custom events that its trait has: `DynGuardSet<dyn MyGuardSet>`",
    note = "guard sets are chains made by `rail_chain!`, `RailManager`, `LiveRails`, `HookManager` and `NoRails`; a `DynGuardSet` has one of them that is chosen at run time"
)]
pub trait Serves<E: Event>: Send + Sync {
    /// Whether there is anything to run. Where there is not, the event is passed over: a context stays at the event
    /// before.
    fn has_rails(&self) -> bool
    where
        Self: Sized,
    {
        Self::steps().has_rails()
    }

    /// Whether a rail may change the payload: then a guarded operation keeps the original, for retries.
    fn may_rewrite(&self) -> bool
    where
        Self: Sized,
    {
        Self::steps().may_rewrite(self)
    }

    /// How many characters of a streamed answer its rails have to see together. Only [`LlmChunk`](crate::events::LlmChunk) is
    /// asked, when the answer begins. So many are held back, as long as the rails of a window do not say by themselves how
    /// much of it is [undecided](crate::StreamWindow). A guard set that does not implement it holds back all of the answer.
    ///
    /// A guard set that itself changes windows calls [`replace`](crate::StreamWindow::replace) or
    /// [`hold_back`](crate::StreamWindow::hold_back): its rails may say that nothing is to be held back for them.
    fn stream_window(&self) -> usize
    where
        Self: Sized,
    {
        Self::steps().stream_window(self)
    }

    /// Whether a rail may ask [how long](RailContext::elapsed) the operation before the event took: then a guarded operation
    /// looks at the clock.
    fn is_timed(&self) -> bool
    where
        Self: Sized,
    {
        Self::steps().timed()
    }

    /// Runs the rails of the event, in their order, until one of them does not continue: for custom guard sets, which are made
    /// of others and return what this returns. A rail that runs events by itself does it in a
    /// [child](RailContext::child) of its context, with [`dispatch`](crate::GuardSet::dispatch): what stops them there stops
    /// nothing here.
    fn run_rails<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send
    where
        Self: Sized;

    /// Calls only the rails that are [always called](macro@crate::rail#rails-that-are-always-called): the guard set is
    /// part of another, and there a rail has stopped the event. A guard set made of others passes it on to them.
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
    /// A guard set made of others passes it on to them: otherwise their rails
    /// [around an operation](macro@crate::rail#rails-around-an-operation) are not called.
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

    /// The steps of a chain, from which the provided methods take their answers: so a chain implements two methods. Other
    /// guard sets have none.
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

/// What a guard set around another one passes on to it, in an `impl<E: Event, …> Serves<E>`: everything but the dispatch.
macro_rules! forward_to {
    ($self:ident => $inner:expr) => {
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

        fn run_always_rails<'a>(
            &'a $self,
            payload: E::Payload<'a>,
            ctx: &'a mut $crate::context::RailContext,
        ) -> impl Future<Output = ()> + Send {
            $crate::chain::Serves::<E>::run_always_rails($inner, payload, ctx)
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
/// It is implemented for every guard set that does. Code that is generic over guard sets asks for it:
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
    note = "a chain guards the operations of the library, and the custom operations that it names: `#[chain(operations = [{O}])]`",
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

/// What a guard set `C` knows of event `E`, and how it calls the rails that are always called.
///
/// It is a trait because a chain must not name the type of its steps: that has its rails in it, and they may be private.
pub trait ChainSteps<E: Event, C: ?Sized> {
    /// See [`Serves::has_rails`].
    fn has_rails(self) -> bool;

    /// See [`Serves::may_rewrite`].
    fn may_rewrite(self, chain: &C) -> bool;

    /// See [`Serves::stream_window`].
    fn stream_window(self, chain: &C) -> usize;

    /// See [`Serves::is_timed`].
    fn timed(self) -> bool;

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

/// The steps of a guard set that is not a chain: nothing is known of it.
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

    fn run_always_rails<'a>(
        self,
        _: &'a C,
        _: E::Payload<'a>,
        _: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// The steps of the chain that lists its rails as `L`.
#[derive(Debug)]
pub struct ListedSteps<L>(PhantomData<L>);

impl<L> ListedSteps<L> {
    /// They are the same at each event and in each chain of the type.
    pub const NEW: Self = Self(PhantomData);
}

impl<E: Event, L: StepsOn<E, Chain: Serves<E>>> ChainSteps<E, L::Chain> for ListedSteps<L> {
    #[inline]
    fn has_rails(self) -> bool {
        L::Facts::has_rails::<E>()
    }

    #[inline]
    fn may_rewrite(self, chain: &L::Chain) -> bool {
        // Without optional rails, this is a constant.
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

/// Begins an event and runs its rails.
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
