//! Guard sets: one trait for chains, `RailManager`, `LiveRails`, `HookManager`, `DynGuardSet` and `NoRails`.

mod around;
pub(crate) mod dyn_guard_set;
pub(crate) mod hook;
pub(crate) mod hook_manager;
mod in_mode;
mod listed;
pub(crate) mod live_rails;
mod managed_entry;
pub(crate) mod meets;
pub(crate) mod rail_manager;
pub(crate) mod register;
mod reloadable;

pub use dyn_guard_set::*;
pub use hook::*;
pub use hook_manager::*;
pub use live_rails::*;
pub use meets::*;
pub use rail_manager::*;
pub use register::RegisterError;
use register::{register, surrounded};

use std::sync::Arc;

use crate::chain::Chain;
use crate::chain::around::WithoutAround;
use crate::chain::stands_alone::StandsAlone;
use crate::chain::{Serves, ServesEvent, enter, forward_to};
use crate::context::{RailContext, RunContext};
use crate::decision::{Decision, Outcome};
use crate::event::{
    ContextAssembled, ContextOverflow, Decoy, Dropped, Error, Event, Finished, IsEvent, LlmChunk, LlmError,
    MemoryRecalled, MemoryStored, PostCompaction, PostLlmCall, PostToolCall, PreCompaction, PreLlmCall, PreToolCall,
    SessionEnd, SessionStart, Start, Suspended, ToolError,
};
use crate::point::event_table;
use crate::rail::{EventFact, InMode, Mode};

/// A guard set for an agent. It serves every event of the lifecycle.
///
/// The library implements the trait for every type that serves these events. An agent takes any `GuardSet`: a chain, a
/// [`RailManager`](crate::RailManager), a [`HookManager`](crate::HookManager), [`NoRails`] or another one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a guard set",
    label = "not a guard set",
    note = "guard sets are chains made by `rail_chain!`, `RailManager`, `LiveRails`, `HookManager` and `NoRails`; a `DynGuardSet` holds one that is chosen at run time",
    note = "to make a guard set of one rail, write `rail_chain![my_rail]`, and for its mode `InMode::new(Mode::Shadow, rail)`; list a chain with `needs` in a chain that provides the values"
)]
pub trait GuardSet: ServesEveryEvent + DynLifecycle {
    /// Runs the rails of one event and returns their decision.
    ///
    /// The [guarded operations](crate::Guard::guard_tool_call) call this and act on every decision. Call it yourself to run
    /// the rails of a single event.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 20, on = [PreToolCall])]
    /// fn shorten(call: &mut ToolCallInputs) -> Verdict {
    ///     Verdict::abort_if(!call.set_argument("limit", 10), "the arguments have no names")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
    /// let mut call = ToolCallInputs::new("search");
    /// let decision = rail_chain![shorten].dispatch::<PreToolCall>(&mut call, &mut RunContext::new("demo")).await?;
    /// assert!(decision.is_continue());
    /// assert_eq!(call.arguments["limit"], 10);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the fault of a rail whose fault ends the run: see [`OnFault`](crate::OnFault).
    fn dispatch<'a, E: IsEvent<Itself: Sized>>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RunContext,
    ) -> impl Future<Output = Outcome<E>> + Send
    where
        Self: ServesEvent<E, Itself: Sized> + Sized, // of a `&dyn GuardSet`, write `(&rails).dispatch`; a `DynGuardSet` has it as it is
    {
        enter::<E, Self>(self, payload, ctx.for_rails())
    }

    /// Puts the guard set in [shadow](crate::Mode::Shadow): its rails decide, and the library only reports the decisions.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::EventBus;
    ///
    /// #[rail(on = [PreToolCall])]
    /// fn no_shell(call: &mut ToolCallInputs) -> RailAction {
    ///     call.set_argument("seen", true);
    ///     if call.tool_name == "shell" { RailAction::skip("no shell") } else { RailAction::Continue }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
    /// let bus = EventBus::new(8);
    /// let mut records = bus.subscribe();
    /// let rails = bus.wrap(rail_chain![no_shell].shadow());
    /// let mut call = ToolCallInputs::new("shell");
    /// assert!(rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("demo")).await?.is_continue());
    /// assert_eq!(call, ToolCallInputs::new("shell"));
    ///
    /// let record = records.recv().await.unwrap().unwrap();
    /// assert_eq!(record.emitted.as_deref(), Some("shadow"));
    /// assert_eq!(record.payload["data"]["rail_name"], "no_shell");
    /// assert_eq!(record.payload["data"]["how"], "skip");
    /// assert_eq!(record.payload["data"]["changes"][0], "arguments.seen");
    /// # Ok(()) }
    /// ```
    fn shadow(self) -> InMode<Self>
    where
        Self: Sized,
    {
        InMode::new(Mode::Shadow, self)
    }

    /// Registers a chain with a hook manager. Adds one hook for each event on which the chain has rails. The manager calls
    /// plain hooks and registered chains in the order in which they were added.
    ///
    /// Returns the handles of the hooks, in the order of [`PLAN`](Chain::PLAN).
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(on = [PreToolCall])]
    /// async fn observe(call: &ToolCallInputs) { println!("{}", call.tool_name) }
    ///
    /// let mut hooks = HookManager::new();
    /// rail_chain![observe].register(&mut hooks);
    /// assert!(hooks.has_hooks(HookPoint::PreToolCall));
    /// assert!(!hooks.has_hooks(HookPoint::PostToolCall));
    /// ```
    ///
    /// A chain with rails [around an operation](macro@crate::rail#rails-around-an-operation) cannot be registered, because
    /// a hook does not run the operation.
    fn register(self, hooks: &mut HookManager) -> Vec<HookHandle>
    where
        Self: Chain<Around: WithoutAround> + Sized + 'static,
    {
        register(self, hooks)
    }

    /// Registers a chain like [`register`](Self::register), if none of its rails surrounds an operation. Use it for a chain in
    /// which such rails may be absent.
    ///
    /// ```
    /// use exo_rails::operations::ToolCall;
    /// use exo_rails::prelude::*;
    /// use exo_rails::{Next, RegisterError};
    ///
    /// struct Slowly;
    ///
    /// #[rail]
    /// impl Slowly {
    ///     #[on(PreToolCall, around)]
    ///     async fn call(&self, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> { next.run().await }
    /// }
    ///
    /// rail_chain! { struct Rails { slowly: Option<Slowly> } }
    ///
    /// let mut hooks = HookManager::new();
    /// assert!(Rails { slowly: None }.try_register(&mut hooks).is_ok());
    ///
    /// let error = Rails { slowly: Some(Slowly) }.try_register(&mut hooks).unwrap_err();
    /// assert_eq!(error, RegisterError { point: HookPoint::PreToolCall });
    /// ```
    ///
    /// # Errors
    /// Returns an error that names the event if a rail surrounds the operation that the event begins. The manager is then
    /// unchanged.
    fn try_register(self, hooks: &mut HookManager) -> Result<Vec<HookHandle>, RegisterError>
    where
        Self: Chain + Sized + 'static,
    {
        match surrounded(&self) {
            Some(point) => Err(RegisterError { point }),
            None => Ok(register(self, hooks)),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<R: ServesEveryEvent> GuardSet for R {}

/// A guard set without rails. Every event continues, and guarded operations run unguarded.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRails;

impl<E: Event> Serves<E> for NoRails {
    #[inline]
    fn fact<F: EventFact>(&self) -> F::Value {
        F::NONE
    }

    #[inline]
    fn run_rails<'a>(&'a self, _: E::Payload<'a>, _: &'a mut RailContext) -> impl Future<Output = Outcome<E>> + Send {
        std::future::ready(Ok(Decision::Continue))
    }
}

/// Implements [`Serves`] for a pointer to a guard set.
macro_rules! behind_pointers {
    ($($pointer:ty),*) => {$(
        impl<E: Event, R: Serves<E>> Serves<E> for $pointer {
            forward_to!(self => &**self; fact, surround, run_always_rails);

            #[inline]
            fn run_rails<'a>(
                &'a self,
                payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
            ) -> impl Future<Output = Outcome<E>> + Send {
                (**self).run_rails(payload, ctx)
            }
        }
    )*};
}

behind_pointers!(&R, Arc<R>, Box<R>);

macro_rules! serves_every_event {
    ($(
        $(#[$doc:meta])*
        $event:ident = $number:literal $name:literal $when:ident
            ($($mode:ident $part:ident: $type:ty),+) -> $substitute:ident, allows $allows:ident;
    )*) => {
        /// A type that serves every event of the lifecycle. [`GuardSet`] needs these bounds as one trait. With one bound
        /// for each event, a call on a type that is not a guard set would be reported once for each event.
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is not a guard set",
            label = "only a guard set has this method",
            note = "guard sets are chains made by `rail_chain!`, `RailManager`, `LiveRails`, `HookManager` and `NoRails`; a `DynGuardSet` holds one that is chosen at run time",
            note = "to make a guard set of one rail, write `rail_chain![my_rail]`, and for its mode `InMode::new(Mode::Shadow, rail)`; list a chain with `needs` in a chain that provides the values",
            note = "a wrapper of a guard set implements `exo_rails::Serves<E>` for every event `E`"
        )]
        #[doc(hidden)]
        pub trait ServesEveryEvent<Impl = ()>
        where
            Self: Serves<StandsAlone>,
            $(Self: Serves<$event>,)*
        {
        }

        #[diagnostic::do_not_recommend]
        impl<R> ServesEveryEvent for R where R: Serves<StandsAlone>, $(R: Serves<$event>,)* {}

        /// See [`Decoy`].
        #[diagnostic::do_not_recommend]
        impl<R, Impl: Decoy> ServesEveryEvent<Impl> for R where R: Serves<StandsAlone>, $(R: Serves<$event>,)* {}
    };
}

event_table!(serves_every_event);
