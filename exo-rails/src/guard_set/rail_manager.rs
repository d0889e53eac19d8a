//! A guard set whose rails are added and sorted at run time.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::action::RailIdentity;
use crate::chain::Serves;
use crate::context::RailContext;
use crate::decision::{Decision, Outcome, PlacedRail};
use crate::error::{FaultCause, RailFault};
use crate::event::{Begins, Event, Inputs, Next, Operation, OperationResult};
use crate::guard_set::around;
use crate::guard_set::hook::{Hook, HookFuture, ObserverFuture};
use crate::guard_set::hook_manager::{erase, misplaced};
use crate::guard_set::listed;
use crate::guard_set::managed_entry::{DynRail, ManagedEntry};
use crate::point::{HookPoint, IntoRailName, PerPoint, RailName, SourceLocation};
use crate::rail::{EventFact, EventList, EventVisitor, FactKind, Rail, RailOn, contains, facts};

/// A guard set for rails that the program chooses at run time. The manager sorts rails by priority when they are added, and
/// calls them through `dyn`.
///
/// You can add any rail, without changes to the rail. Rails behave as in a static chain:
///
/// - Lower priorities run first. Rails of equal priority run in the order in which they were added.
/// - A rail can be added again only under another [name](Self::add_named).
/// - An [onion](Self::onion) reverses the order at events after an operation.
///
/// A manager differs from a chain in three ways:
///
/// - A call costs more: one boxed future for each rail.
/// - The compiler does not check that the rails fit together. A rail faults if it [needs a value](trait@crate::Provided)
///   that no earlier rail has provided. If two rails provide the same value, later rails see the value of the second.
/// - Adding or removing a rail takes `&mut`, so it is impossible while the rails of an event run.
///   [`LiveRails`](crate::LiveRails) can change while agents run.
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
    /// Whether rails run in reverse order at events after an operation.
    onion: bool,
    rails: Vec<Registered>,
    lists: PerPoint<Option<Arc<dyn AnyList>>>,
    /// The number of characters of a streamed answer that the rails need to see together.
    window: usize,
}

/// Rails that can be added at run time: rails that threads can share.
///
/// The library implements the trait for every [`Rail`] that is `Send`, `Sync` and `'static`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a rail, or threads cannot share it",
    label = "not a rail that a `RailManager` can hold",
    note = "a rail is an `async fn` or `fn` under `#[rail(on = [PreToolCall])]`, or a type with an `impl` block under `#[rail]` whose bounds it meets; a chain is a rail too",
    note = "to use the rail of a function as a value, add braces: `manager.add(block_dangerous {{}})`",
    note = "the state of the rail must be `Send` and `Sync`, and own its data"
)]
pub trait ManagedRail: Rail + Send + Sync + 'static {
    /// Calls the visitor with every event of the rail.
    #[doc(hidden)]
    fn each_event<V: EventVisitor<Self>>(visitor: &mut V);
}

#[diagnostic::do_not_recommend]
impl<R: Rail<Events: EventList<R>> + Send + Sync + 'static> ManagedRail for R {
    fn each_event<V: EventVisitor<Self>>(visitor: &mut V) {
        R::Events::visit(visitor);
    }
}

/// Identifies one rail in its [`RailManager`]. Pass it to [`remove`](RailManager::remove).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RailHandle(u64);

/// An error: the rail is already in the manager. Add several rails of one type under different
/// [names](RailManager::add_named).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rail `{rail_name}` is already in the manager")]
pub struct DuplicateRail {
    /// The name of the rail.
    pub rail_name: RailName,
}

/// A rail in a [`RailManager`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AddedRail {
    /// The name of the rail in decisions and logs.
    pub name: RailName,
    /// The priority. Lower numbers run first.
    pub priority: i32,
    /// The location of the rail's declaration.
    pub declared: SourceLocation,
}

#[derive(Clone)]
struct Registered {
    handle: RailHandle,
    /// The type of the rail. `None` if the rail was added under a name.
    rail: Option<TypeId>,
    added: AddedRail,
    window: usize,
}

impl RailManager {
    /// Creates a manager without rails.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an onion without rails, like a chain with `#[chain(onion)]`. At events after an operation, the rails run in
    /// exactly the reverse order. So the first rail that sees a call is the last rail that sees its output.
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
    /// Write the rail of a function as `name {}`.
    ///
    /// # Errors
    /// Returns an error if the manager already has a rail of this type without a name.
    pub fn add<R: ManagedRail>(&mut self, rail: R) -> Result<RailHandle, DuplicateRail> {
        self.add_shared(&Arc::new(rail))
    }

    /// Like [`add`](Self::add), but the caller keeps the rail, and can add it again to another copy of the manager.
    pub(super) fn add_shared<R: ManagedRail>(&mut self, rail: &Arc<R>) -> Result<RailHandle, DuplicateRail> {
        let id = Some(TypeId::of::<R>());
        if self.rails.iter().any(|registered| registered.rail == id) {
            return Err(DuplicateRail { rail_name: R::NAME.into() });
        }
        Ok(self.insert(rail, id, R::NAME.into()))
    }

    /// Adds a rail under a name. Use it to add several rails of one type.
    ///
    /// The name appears in decisions, faults, spans and logs. Each rail has its own retries. If the rail is a chain, the
    /// names of the rails in it begin with this name: `billing.no_refunds`.
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
    /// Returns an error if a rail in the manager already has this name.
    pub fn add_named<R: ManagedRail>(&mut self, name: impl IntoRailName, rail: R) -> Result<RailHandle, DuplicateRail> {
        self.add_shared_named(name.into_rail_name(), &Arc::new(rail))
    }

    /// Like [`add_named`](Self::add_named), but the caller keeps the rail, and can add it again to another copy of the
    /// manager.
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

    /// Removes a rail from all its events. Returns `true` if the manager had the rail.
    pub fn remove(&mut self, handle: RailHandle) -> bool {
        let Some(at) = self.rails.iter().position(|registered| registered.handle == handle) else { return false };
        self.rails.remove(at);
        self.window = self.rails.iter().map(|registered| registered.window).max().unwrap_or(0);
        for list in self.lists.values_mut() {
            *list = list.take().and_then(|list| list.without(handle));
        }
        true
    }

    /// Removes every rail. An onion remains an onion.
    pub fn clear(&mut self) {
        *self = Self { onion: self.onion, ..Self::default() };
    }

    /// Returns the rails, in the order in which they were added.
    pub fn rails(&self) -> impl Iterator<Item = &AddedRail> {
        self.rails.iter().map(|registered| &registered.added)
    }

    /// Returns a hook that runs the manager's rails of one event, for [`HookManager::add`](crate::HookManager::add).
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
    fn fact<F: EventFact>(&self) -> F::Value {
        let rewrites = |list: &List<E>| list.rails.iter().any(|listed| listed.rewrites);
        match F::KIND {
            FactKind::HasRails => F::of(self.list::<E>().is_some()),
            FactKind::MayRewrite => F::of(self.list::<E>().is_some_and(rewrites)),
            FactKind::WindowSize => F::of(self.window),
            FactKind::IsTimed | FactKind::Surrounds => F::UNKNOWN,
        }
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
    /// The number of characters of a streamed answer that the rail needs to see together.
    window: usize,
    lists: &'m mut PerPoint<Option<Arc<dyn AnyList>>>,
}

impl<R: Rail + Send + Sync + 'static> EventVisitor<R> for Insertion<'_, R> {
    fn visit<E: Event>(&mut self)
    where
        R: RailOn<E>,
    {
        // A chain visits every event that it serves, including events on which it has no rails. The condition is a constant,
        // so the compiler makes no code for these events.
        if const { contains(R::EVENTS, E::POINT) } {
            let rail: Arc<dyn DynRail<E>> = self.rail.clone();
            let at = PlacedRail {
                name: self.name.clone(),
                named_here: self.named_here,
                rail: RailIdentity::of::<R>(),
                place: self.handle.0,
                reversed: self.onion && E::POINT.is_after(),
                on_fault: R::ON_FAULT,
            };
            let rewrites = RailOn::<E>::fact::<facts::MayRewrite>(&*self.rail);
            let (always, around) = (R::ROW.is_always_on(E::POINT), R::ROW.around.has(E::POINT));
            let priority = R::PRIORITY;
            let entry = ManagedEntry { at, priority, rewrites, always, around, rail };
            insert(self.lists.entry(E::POINT), entry);
            if E::POINT == HookPoint::LlmChunk {
                self.window = RailOn::<E>::fact::<facts::WindowSize>(&*self.rail);
            }
        }
    }
}

/// Inserts the rail after the rails of equal priority. In the reverse order of an onion, inserts it before them.
// Without the type of the rail, so the compiler makes this code once for each event.
fn insert<E: Event>(slot: &mut Option<Arc<dyn AnyList>>, entry: ManagedEntry<E>) {
    let old: Option<&List<E>> = slot.as_deref().and_then(|list| (list as &dyn Any).downcast_ref());
    let mut list = old.cloned().unwrap_or_default();
    let at = if entry.at.reversed {
        list.rails.partition_point(|listed| listed.priority > entry.priority)
    } else {
        list.rails.partition_point(|listed| listed.priority <= entry.priority)
    };
    list.rails.insert(at, entry);
    *slot = Some(Arc::new(list));
}

/// The rails of one event, in their order.
struct List<E: Event> {
    rails: Vec<ManagedEntry<E>>,
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

/// The rails of one event, without the type of the event.
trait AnyList: Any + Send + Sync {
    /// Returns the list without this rail. `None` if the list would be empty.
    fn without(&self, handle: RailHandle) -> Option<Arc<dyn AnyList>>;

    /// Runs the rails. Returns `None` if the inputs belong to another event.
    fn run<'a>(&self, manager: &'a RailManager, inputs: Inputs<'a>, ctx: &'a mut RailContext)
    -> Option<HookFuture<'a>>;

    /// Returns the name of a rail that surrounds an operation, if the list has one.
    fn around(&self) -> Option<&RailName>;

    /// Calls the rails that are always called. Returns `None` if the inputs belong to another event.
    fn run_always_rails<'a>(
        &self,
        manager: &'a RailManager,
        inputs: Inputs<'a>,
        ctx: &'a mut RailContext,
    ) -> Option<ObserverFuture<'a>>;
}

impl<E: Event> AnyList for List<E> {
    fn without(&self, handle: RailHandle) -> Option<Arc<dyn AnyList>> {
        let rails: Vec<_> = self.rails.iter().filter(|listed| listed.at.place != handle.0).cloned().collect();
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

/// A hook that runs the rails of a [`RailManager`] at one event.
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
            // The hook would otherwise leave out this rail, and the operation would run unguarded.
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
        // If the hook was added at a point other than its own, `call` has already reported the fault.
        let list = self.manager.at(self.point).filter(|_| inputs.point() == self.point);
        let future = list.and_then(|list| list.run_always_rails(&self.manager, inputs, ctx));
        future.unwrap_or_else(|| Box::pin(std::future::ready(())))
    }

    fn stream_window(&self) -> usize {
        self.manager.window
    }
}
