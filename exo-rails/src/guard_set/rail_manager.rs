//! Rails collected and sorted at run time.

use std::any::{Any, TypeId};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use tracing::Instrument;

use crate::action::RailIdentity;
use crate::chain::Serves;
use crate::context::RailContext;
use crate::decision::{Decision, Outcome, PlacedRail, outcome};
use crate::error::{FaultCause, RailFault};
use crate::event::{Begins, BoxedNext, Event, Inputs, Next, Operation, OperationResult};
use crate::guard_set::around;
use crate::guard_set::hook::{Hook, HookFuture, ObserverFuture};
use crate::guard_set::hook_manager::{erase, misplaced};
use crate::guard_set::listed::{self, Listed};
use crate::point::{HookPoint, PerPoint, RailName, SourceLocation};
use crate::rail::{EventList, EventVisitor, Rail, RailOn};
use crate::telemetry;

/// Rails chosen at run time: sorted by priority when they are added, called through `dyn`.
///
/// Any rail can be added, as it is; what it means there is what it means in a static chain: lower priorities
/// run first, equal ones in the order in which they were added, and a rail can be listed again only under another
/// [name](Self::add_named); an
/// [onion](Self::onion) reverses this order after what is guarded. The
/// calls cost more (a boxed future for each rail), and nothing checks before the program runs that the rails
/// fit together: a rail that [needs a value](trait@crate::Provided) which no rail before it has provided faults, and of
/// two rails that provide one value the later has its way. Rails cannot be added or removed while an event's rails run: that takes `&mut`.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn permission(call: &ToolCallInputs) -> Verdict {
///     Verdict::abort_if(call.tool_name == "shell", "no shell")
/// }
///
/// #[rail(priority = 80, on = [PreToolCall])]
/// fn log(call: &ToolCallInputs) { println!("{}", call.tool_name) }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut manager = RailManager::new();
/// let log = manager.add(log {})?;
/// manager.add(permission {})?;
/// assert_eq!(manager.add(permission {}).unwrap_err().to_string(), "the rail `permission` is already in the manager");
///
/// let mut ctx = RunContext::new("demo");
/// let decision = manager.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut ctx).await?;
/// assert!(decision.is_continue());
/// assert!(manager.remove(log));
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct RailManager {
    /// Whether rails run in the reverse of their order at events after an operation.
    onion: bool,
    rails: Vec<Registered>,
    lists: PerPoint<Option<Arc<dyn AnyList>>>,
    /// How many characters of a streamed answer the rails have to see together.
    window: usize,
}

/// Rails that can be collected at run time: all that threads can share.
///
/// It is implemented for every [`Rail`] that is `Send`, `Sync` and `'static`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a rail, or not one that threads can share",
    label = "not a rail that can be collected at run time",
    note = "a rail is an `async fn` or `fn` under `#[rail(on = [PreToolCall])]`, or a type with an `impl` block under `#[rail]`; a chain is one too",
    note = "the rail of a function is written with braces where a value is asked for: `manager.add(block_dangerous {{}})`",
    note = "its state is `Send` and `Sync`, and borrows nothing"
)]
pub trait ManagedRail: Rail + Send + Sync + 'static {
    /// Shows every event of the rail to a visitor.
    #[doc(hidden)]
    fn each_event<V: EventVisitor<Self>>(visitor: &mut V);
}

#[diagnostic::do_not_recommend]
impl<R: Rail<Events: EventList<R>> + Send + Sync + 'static> ManagedRail for R {
    fn each_event<V: EventVisitor<Self>>(visitor: &mut V) {
        R::Events::visit(visitor);
    }
}

/// Names one rail in its [`RailManager`], to remove it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RailHandle(u64);

/// The rail is in the manager already. Several rails of one type have a [name](RailManager::add_named) each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rail `{rail_name}` is already in the manager")]
pub struct DuplicateRail {
    /// The rail.
    pub rail_name: RailName,
}

/// A rail in a [`RailManager`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AddedRail {
    /// What it is called in decisions and logs.
    pub name: RailName,
    /// Lower numbers run first.
    pub priority: i32,
    /// Where it was declared.
    pub declared: SourceLocation,
}

#[derive(Clone)]
struct Registered {
    handle: RailHandle,
    /// The type of the rail, unless it was added by a name.
    rail: Option<TypeId>,
    added: AddedRail,
    window: usize,
}

impl RailManager {
    /// A manager without rails.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An onion without rails, like a chain with `#[chain(onion)]`: at events after an operation, rails run in
    /// the exact reverse of their order. The first to see a call is the last to see its output.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(priority = 10, on = [PreToolCall, PostToolCall])]
    /// fn outer(ctx: &RailContext) { ctx.run.update(|order: &mut String| order.push_str("outer ")) }
    ///
    /// #[rail(priority = 20, on = [PreToolCall, PostToolCall])]
    /// fn inner(ctx: &RailContext) { ctx.run.update(|order: &mut String| order.push_str("inner ")) }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut manager = RailManager::onion();
    /// manager.add(outer {})?;
    /// manager.add(inner {})?;
    ///
    /// let mut ctx = RunContext::new("demo");
    /// let tool = |_call| async { Ok::<_, OperationError>(ToolOutput::text("found")) };
    /// manager.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
    /// assert_eq!(ctx.run.get::<String>().as_deref(), Some("outer inner inner outer "));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn onion() -> Self {
        Self { onion: true, ..Self::default() }
    }

    /// Adds a rail to each of its events, at its priority.
    ///
    /// A function's rail is written `name {}`.
    ///
    /// # Errors
    /// When a rail of this type is there already.
    pub fn add<R: ManagedRail>(&mut self, rail: R) -> Result<RailHandle, DuplicateRail> {
        self.add_shared(&Arc::new(rail))
    }

    /// Adds a rail that the caller keeps until the addition is final.
    pub(super) fn add_shared<R: ManagedRail>(&mut self, rail: &Arc<R>) -> Result<RailHandle, DuplicateRail> {
        let id = Some(TypeId::of::<R>());
        if self.rails.iter().any(|registered| registered.rail == id) {
            return Err(DuplicateRail { rail_name: R::NAME.into() });
        }
        Ok(self.insert(rail, id, R::NAME.into()))
    }

    /// Adds a rail under a name, so that the manager can have several rails of one type. Decisions, faults, spans and logs
    /// have this name, and each of the rails has its own retries. The names of the rails in a chain that is added begin
    /// with it: `billing.no_refunds`.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// struct Blocked(String);
    ///
    /// #[rail(priority = 10)]
    /// impl Blocked {
    ///     #[on(PreToolCall)]
    ///     fn tool(&self, call: &ToolCallInputs) -> Verdict {
    ///         Verdict::abort_if(call.tool_name == self.0, "it is blocked")
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut manager = RailManager::new();
    /// for tool in ["shell", "delete_file"] {
    ///     manager.add_named(format!("no_{tool}"), Blocked(tool.to_owned()))?;
    /// }
    /// let mut call = ToolCallInputs::new("delete_file");
    /// let decision = manager.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("demo")).await?;
    /// assert_eq!(decision.rail_name(), Some("no_delete_file"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When a rail has this name already.
    pub fn add_named<R: ManagedRail>(
        &mut self,
        name: impl Into<RailName>,
        rail: R,
    ) -> Result<RailHandle, DuplicateRail> {
        self.add_shared_named(name.into(), &Arc::new(rail))
    }

    /// Adds a rail under a name, and the caller keeps the rail until the addition is final.
    pub(super) fn add_shared_named<R: ManagedRail>(
        &mut self,
        name: RailName,
        rail: &Arc<R>,
    ) -> Result<RailHandle, DuplicateRail> {
        if self.rails.iter().any(|registered| registered.added.name == name) {
            return Err(DuplicateRail { rail_name: name });
        }
        Ok(self.insert(rail, None, name))
    }

    fn insert<R: ManagedRail>(&mut self, rail: &Arc<R>, id: Option<TypeId>, name: RailName) -> RailHandle {
        static HANDLES: AtomicU64 = AtomicU64::new(0);
        let handle = RailHandle(HANDLES.fetch_add(1, Ordering::Relaxed));
        let added = AddedRail { name: name.clone(), priority: R::PRIORITY, declared: R::LOCATION };
        let (rail, onion, named_here) = (Arc::clone(rail), self.onion, id.is_none());
        let mut insertion = Insertion { rail, name, named_here, handle, onion, window: 0, lists: &mut self.lists };
        R::each_event(&mut insertion);
        let window = insertion.window;
        self.rails.push(Registered { handle, rail: id, added, window });
        self.window = self.window.max(window);
        handle
    }

    /// Removes a rail from all its events; whether it was there.
    pub fn remove(&mut self, handle: RailHandle) -> bool {
        let Some(at) = self.rails.iter().position(|registered| registered.handle == handle) else { return false };
        self.rails.remove(at);
        self.window = self.rails.iter().map(|registered| registered.window).max().unwrap_or(0);
        for list in self.lists.values_mut() {
            *list = list.take().and_then(|list| list.without(handle));
        }
        true
    }

    /// Removes every rail. An onion stays one.
    pub fn clear(&mut self) {
        *self = Self { onion: self.onion, ..Self::default() };
    }

    /// The rails, in the order in which they were added.
    pub fn rails(&self) -> impl Iterator<Item = &AddedRail> {
        self.rails.iter().map(|registered| &registered.added)
    }

    /// The manager's rails of one event, as a hook for [`HookManager::add`](crate::HookManager::add).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use exo_rails::prelude::*;
    ///
    /// let manager = Arc::new(RailManager::new());
    /// let mut hooks = HookManager::new();
    /// for &point in HookPoint::ALL {
    ///     hooks.add(point, manager.hook_for(point));
    /// }
    /// ```
    #[must_use]
    pub fn hook_for(self: &Arc<Self>, point: HookPoint) -> impl Hook + use<> {
        RailManagerHook { manager: Arc::clone(self), point }
    }

    fn at(&self, point: HookPoint) -> Option<&dyn AnyList> {
        self.lists.get(point)?.as_deref()
    }

    fn list<E: Event>(&self) -> Option<&List<E>> {
        let list: &dyn Any = self.at(E::POINT)?;
        list.downcast_ref()
    }
}

impl fmt::Debug for RailManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.rails.iter().map(|registered| &registered.added.name)).finish()
    }
}

impl<E: Event> Serves<E> for RailManager {
    fn has_rails(&self) -> bool {
        self.list::<E>().is_some()
    }

    fn may_rewrite(&self) -> bool {
        self.list::<E>().is_some_and(|list| list.rails.iter().any(|listed| listed.rewrites))
    }

    fn stream_window(&self) -> usize {
        self.window
    }

    async fn run_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        match self.list::<E>() {
            Some(list) => listed::run(&list.rails, payload, ctx).await,
            None => Ok(Decision::Continue),
        }
    }

    async fn run_always_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) {
        if let Some(list) = self.list::<E>() {
            listed::run_always(&list.rails, payload, ctx).await;
        }
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
        match self.list::<E>() {
            Some(list) if list.rails.iter().any(|listed| listed.around) => {
                around::surround(&list.rails, inputs, next).await
            }
            _ => next.run().await,
        }
    }
}

/// Adds a rail to the list of each of its events.
struct Insertion<'m, R> {
    rail: Arc<R>,
    name: RailName,
    named_here: bool,
    handle: RailHandle,
    onion: bool,
    /// How many characters of a streamed answer the rail has to see together.
    window: usize,
    lists: &'m mut PerPoint<Option<Arc<dyn AnyList>>>,
}

impl<R: Rail + Send + Sync + 'static> EventVisitor<R> for Insertion<'_, R> {
    fn visit<E: Event>(&mut self)
    where
        R: RailOn<E>,
    {
        // A chain shows every event that it serves, also those for which it has no rails.
        if !R::EVENTS.contains(&E::POINT) {
            return;
        }
        let slot = self.lists.entry(E::POINT);
        let old: Option<&List<E>> = slot.as_deref().and_then(|list| (list as &dyn Any).downcast_ref());
        let mut list = old.cloned().unwrap_or_default();
        // Of equal priority, the rail comes behind those that are there; on the way out of an onion, before them.
        let reversed = self.onion && E::POINT.is_after();
        let at = if reversed {
            list.rails.partition_point(|listed| listed.priority > R::PRIORITY)
        } else {
            list.rails.partition_point(|listed| listed.priority <= R::PRIORITY)
        };
        let rewrites = RailOn::<E>::may_rewrite(&*self.rail);
        if E::POINT == HookPoint::LlmChunk {
            self.window = RailOn::<E>::stream_window(&*self.rail);
        }
        let rail: Arc<dyn DynRail<E>> = self.rail.clone();
        let always = R::ROW.is_always_on(E::POINT);
        let (handle, priority) = (self.handle, R::PRIORITY);
        let placed = PlacedRail {
            name: self.name.clone(),
            named_here: self.named_here,
            rail: RailIdentity::of::<R>(),
            place: handle.0,
            reversed,
            on_fault: R::ON_FAULT,
        };
        let around = R::ROW.around.has(E::POINT);
        list.rails.insert(at, ManagedEntry { handle, at: placed, priority, rewrites, always, around, rail });
        *slot = Some(Arc::new(list));
    }
}

/// The rails of one event, in their order.
struct List<E: Event> {
    rails: Vec<ManagedEntry<E>>,
}

pub(super) struct ManagedEntry<E: Event> {
    handle: RailHandle,
    at: PlacedRail,
    priority: i32,
    rewrites: bool,
    /// Whether it is called also when a rail before it has stopped the event.
    always: bool,
    /// Whether it surrounds the operation that the event begins.
    pub(super) around: bool,
    pub(super) rail: Arc<dyn DynRail<E>>,
}

impl<E: Event> Default for List<E> {
    fn default() -> Self {
        Self { rails: Vec::new() }
    }
}

impl<E: Event> Clone for List<E> {
    fn clone(&self) -> Self {
        Self { rails: self.rails.clone() }
    }
}

impl<E: Event> Clone for ManagedEntry<E> {
    fn clone(&self) -> Self {
        let Self { handle, at, priority, rewrites, always, around, rail } = self;
        let (handle, priority, rewrites, always, around) = (*handle, *priority, *rewrites, *always, *around);
        Self { handle, at: at.clone(), priority, rewrites, always, around, rail: Arc::clone(rail) }
    }
}

/// The rails of one event, without the event's type.
trait AnyList: Any + Send + Sync {
    /// The list without a rail; `None` when nothing is left.
    fn without(&self, handle: RailHandle) -> Option<Arc<dyn AnyList>>;

    /// Runs the rails with inputs that are the event's.
    fn run<'a>(&self, manager: &'a RailManager, inputs: Inputs<'a>, ctx: &'a mut RailContext)
    -> Option<HookFuture<'a>>;

    /// A rail that surrounds an operation.
    fn around(&self) -> Option<&RailName>;

    /// Calls those that are always called.
    fn run_always_rails<'a>(
        &self,
        manager: &'a RailManager,
        inputs: Inputs<'a>,
        ctx: &'a mut RailContext,
    ) -> Option<ObserverFuture<'a>>;
}

impl<E: Event> AnyList for List<E> {
    fn without(&self, handle: RailHandle) -> Option<Arc<dyn AnyList>> {
        let rails: Vec<_> = self.rails.iter().filter(|listed| listed.handle != handle).cloned().collect();
        if rails.is_empty() { None } else { Some(Arc::new(Self { rails })) }
    }

    fn run<'a>(
        &self,
        manager: &'a RailManager,
        inputs: Inputs<'a>,
        ctx: &'a mut RailContext,
    ) -> Option<HookFuture<'a>> {
        let payload = E::payload(inputs)?;
        Some(Box::pin(async move { erase::<E>(Serves::<E>::run_rails(manager, payload, ctx).await) }))
    }

    fn around(&self) -> Option<&RailName> {
        self.rails.iter().find(|listed| listed.around).map(|listed| &listed.at.name)
    }

    fn run_always_rails<'a>(
        &self,
        manager: &'a RailManager,
        inputs: Inputs<'a>,
        ctx: &'a mut RailContext,
    ) -> Option<ObserverFuture<'a>> {
        Some(Box::pin(Serves::<E>::run_always_rails(manager, E::payload(inputs)?, ctx)))
    }
}

// The spans are here and not where the rail's type is known: that would be a second call of each rail, and code for it.
impl<E: Event> Listed<E> for ManagedEntry<E> {
    fn call<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        traced: bool,
    ) -> impl Future<Output = Outcome<E>> + Send {
        if traced { self.call_in_span(payload, ctx) } else { self.rail.call(payload, ctx, &self.at) }
    }

    async fn call_if_always<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) {
        if !self.always {
            return;
        }
        if !telemetry::takes_rails() {
            return self.rail.call_if_always(payload, ctx, &self.at).await;
        }
        let span = telemetry::rail_span(&self.at.name, self.priority, E::POINT);
        let call = span.in_scope(|| self.rail.call_if_always(payload, ctx, &self.at)).instrument(span.clone());
        call.await;
        telemetry::decided::<E>(&span, &Ok(Decision::Continue));
    }
}

impl<E: Event> ManagedEntry<E> {
    #[cold]
    fn call_in_span<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> OutcomeFuture<'a, E> {
        let span = telemetry::rail_span(&self.at.name, self.priority, E::POINT);
        let call = span.in_scope(|| self.rail.call(payload, ctx, &self.at)).instrument(span.clone());
        Box::pin(async move {
            let outcome = call.await;
            telemetry::decided::<E>(&span, &outcome);
            outcome
        })
    }
}

/// What a rail behind `dyn` gives: a boxed future.
type OutcomeFuture<'a, E> = Pin<Box<dyn Future<Output = Outcome<E>> + Send + 'a>>;

/// A rail at one event, behind `dyn`.
pub(super) trait DynRail<E: Event>: Send + Sync {
    fn call<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> OutcomeFuture<'a, E>;

    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> ObserverFuture<'a>;

    fn surround<'a>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: BoxedNext<'a, E::Operation>,
    ) -> BoxFuture<'a, OperationResult<E::Operation>>
    where
        E: Begins;
}

impl<E: Event, R: RailOn<E> + Send + Sync> DynRail<E> for R {
    fn call<'a>(
        &'a self,
        mut payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> OutcomeFuture<'a, E> {
        Box::pin(async move {
            let output = RailOn::call_at(self, E::reborrow(&mut payload), ctx, at).await;
            outcome::<E>(R::decide(output, at, ctx))
        })
    }

    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> ObserverFuture<'a> {
        Box::pin(RailOn::call_if_always(self, payload, ctx, at))
    }

    fn surround<'a>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: BoxedNext<'a, E::Operation>,
    ) -> BoxFuture<'a, OperationResult<E::Operation>>
    where
        E: Begins,
    {
        Box::pin(RailOn::surround(self, inputs, next))
    }
}

/// The rails that a [`RailManager`] has for one event, as a hook.
#[derive(Clone, Debug)]
pub(crate) struct RailManagerHook {
    manager: Arc<RailManager>,
    point: HookPoint,
}

#[diagnostic::do_not_recommend]
impl Hook for RailManagerHook {
    fn call<'a>(&'a self, at: &'a PlacedRail, inputs: Inputs<'a>, ctx: &'a mut RailContext) -> HookFuture<'a> {
        let point = inputs.point();
        if point != self.point {
            return misplaced(at, self.point, point);
        }
        if let Some(rail) = self.manager.at(point).and_then(AnyList::around) {
            // Without it, the operation would run unguarded.
            let error = format!(
                "the rail `{rail}` surrounds an operation, and a hook runs none: guard with the `RailManager` itself"
            );
            let fault = RailFault::of(at, point, FaultCause::Error(error.into()));
            return Box::pin(std::future::ready(Err(fault)));
        }
        let future = self.manager.at(point).and_then(|list| list.run(&self.manager, inputs, ctx));
        future.unwrap_or_else(|| Box::pin(std::future::ready(Ok(Decision::Continue))))
    }

    fn run_always_rails<'a>(
        &'a self,
        _: &'a PlacedRail,
        inputs: Inputs<'a>,
        ctx: &'a mut RailContext,
    ) -> ObserverFuture<'a> {
        // Where it was added at another point than its own, `call` has said so.
        let list = self.manager.at(self.point).filter(|_| inputs.point() == self.point);
        let future = list.and_then(|list| list.run_always_rails(&self.manager, inputs, ctx));
        future.unwrap_or_else(|| Box::pin(std::future::ready(())))
    }

    fn stream_window(&self) -> usize {
        self.manager.window
    }
}
