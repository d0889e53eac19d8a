//! Rails: what `#[rail]` makes of a function or an `impl` block.

use std::any::type_name;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem;
use std::ops::ControlFlow;
use std::panic::Location;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::chain::flow::Flow;
use crate::chain::sorting::Row;
use crate::checks::{ReturnedAt, text};
use crate::context::RailContext;
use crate::decision::Outcome;
use crate::event::Event;
use crate::fault::OnFault;
use crate::hook_manager::HookHandle;
use crate::hook_point::HookPoint;
use crate::plan::Plan;

/// A guard on one or more events, made by `#[rail]`.
///
/// It carries what a chain must know before it runs. Do not implement it by hand: the macro also sees to the
/// events, one [`RailOn`] for each.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a rail",
    label = "not a rail",
    note = "a rail is an `async fn` or `fn` under `#[rail(on = [PreToolCall])]`, or a type with an `impl` block under `#[rail]`",
    note = "the rail of a function is written with braces where a value is asked for: `manager.add(block_dangerous {{}})`",
    note = "a chain made by `rail_chain!` is a rail too"
)]
pub trait Rail {
    /// What it is called in decisions, plans and logs.
    const NAME: &'static str = Self::INFO.name;

    /// Lower numbers run first; 50 where none is given.
    const PRIORITY: i32 = Self::INFO.priority;

    /// The events that it guards.
    const EVENTS: &'static [HookPoint] = Self::DECLARATION.events;

    /// Those of its events whose payload it may change.
    const REWRITES: &'static [HookPoint] = Self::DECLARATION.rewrites;

    /// Where it was declared.
    const LOCATION: SourceLocation = Self::INFO.declared;

    /// The rails inside, when the rail is a chain.
    const INNER: Option<&'static Plan> = Self::DECLARATION.inner;

    /// Name, priority and place together.
    const INFO: RailInfo = Self::DECLARATION.info;

    /// All of the above in one constant, which takes less of the compiler's time than each for itself.
    #[doc(hidden)]
    const DECLARATION: Row;

    /// The rails that it runs after, in every chain that has both.
    #[doc(hidden)]
    const AFTER: &'static [RailInfo] = &[];

    /// The rails that it runs before, in every chain that has both.
    #[doc(hidden)]
    const BEFORE: &'static [RailInfo] = &[];

    /// The values that it hands on to later rails, and those that it needs of earlier ones.
    #[doc(hidden)]
    const FLOW: &'static [Flow] = &[];

    /// What a chain knows of it before it runs. The order stands apart: two rails may name each other.
    #[doc(hidden)]
    const ROW: Row = Self::DECLARATION.in_order(Self::AFTER, Self::BEFORE, Self::FLOW);

    /// Its events, as types.
    // Without a bound, so that what is wrong with one of them is not told a second time here.
    #[doc(hidden)]
    type Events;
}

/// What a rail does at event `E`.
#[diagnostic::on_unimplemented(
    message = "the rail `{Self}` is not on the event `{E}`",
    label = "not on `{E}`",
    note = "its events are those in `#[rail(on = […])]`, or those of its `#[on(…)]` methods"
)]
pub trait RailOn<E: Event>: Rail {
    /// What the rail returns.
    type Out: ReturnedAt<E, E::Returns>;

    /// Whether something is lost when it faults, beside the decision that its type tells: it takes what the event
    /// carries by `&mut`, hands on a value, or decides behind another type.
    #[doc(hidden)]
    const CHANGES: bool = false;

    /// Whether it is also called when a rail before it has stopped the event.
    #[doc(hidden)]
    const ALWAYS: bool = false;

    /// What comes of its faults: where a guard would be lost, it fails closed.
    #[doc(hidden)]
    const ON_FAULT: OnFault = if Self::Out::DECIDES || Self::CHANGES { OnFault::Abort } else { OnFault::Continue };

    /// Whom its decisions are of.
    #[doc(hidden)]
    const CALLER: Caller = Caller {
        info: &Self::INFO,
        identity: RailIdentity(Identity::Type(type_name::<Self>)),
        on_fault: Self::ON_FAULT,
    };

    /// Calls the rail.
    fn call<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> impl Future<Output = Self::Out> + Send;

    /// Calls the rail beside others, which look at the same: only of rails that say `concurrent`, which a chain has held.
    #[doc(hidden)]
    fn call_concurrent<'a>(&'a self, _: E::Shared<'a>, _: &'a RailContext) -> impl Future<Output = Self::Out> + Send {
        std::future::pending()
    }

    /// What the rail decided. Chains ask here and not [`RailOutput`](crate::RailOutput) itself, so that a rail that
    /// returns something else is reported where it is declared, and not again in each chain.
    #[doc(hidden)]
    #[inline(always)]
    fn flow(output: Self::Out) -> ControlFlow<Outcome<E>> {
        if output.continues() {
            // Not dropped: there is nothing in it, and the compiler would look.
            mem::forget(output);
            return ControlFlow::Continue(());
        }
        output.flow(&Self::CALLER, E::POINT)
    }

    /// Calls the rail after another has stopped the event, when it is one that is always called.
    #[doc(hidden)]
    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        let call = Self::ALWAYS.then(|| self.call(payload, ctx));
        async move {
            if let Some(call) = call {
                // It observes, so there is nothing to decide: at most a fault, which this reports.
                drop(Self::flow(call.await));
            }
        }
    }
}

/// Sees the events of a rail `R`, one by one, with their types.
#[doc(hidden)]
pub trait EventVisitor<R: ?Sized> {
    fn visit<E: Event>(&mut self)
    where
        R: RailOn<E>;
}

/// The events of a rail `R`, as types: how a rail is collected at run time.
#[doc(hidden)]
pub trait EventList<R: ?Sized> {
    /// Shows every event to a visitor.
    fn visit<V: EventVisitor<R>>(visitor: &mut V);
}

#[diagnostic::do_not_recommend]
impl<R: ?Sized> EventList<R> for () {
    fn visit<V: EventVisitor<R>>(_: &mut V) {}
}

#[diagnostic::do_not_recommend]
impl<E: Event, R: RailOn<E> + ?Sized, L: EventList<R>> EventList<R> for (E, L) {
    fn visit<V: EventVisitor<R>>(visitor: &mut V) {
        visitor.visit::<E>();
        L::visit(visitor);
    }
}

/// A rail's name, priority and place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct RailInfo {
    /// What it is called.
    pub name: &'static str,
    /// Lower numbers run first.
    pub priority: i32,
    /// Where it was declared.
    pub declared: SourceLocation,
}

impl RailInfo {
    /// Whether both are of one rail, in a constant: no two rails have the same name at the same place, but those made
    /// from one generic type.
    pub(crate) const fn same(&self, other: &Self) -> bool {
        // Numbers first: that is quicker, and constants are slow.
        self.declared.same(&other.declared) && text::same(self.name, other.name)
    }
}

/// A rail or hook at work: what its decisions say of it, and what its retries are counted by.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// Name, priority and place.
    // By reference: every decision says who took it, and the smaller it is, the less there is to move.
    pub info: &'static RailInfo,
    /// Which it is.
    pub identity: RailIdentity,
    /// What comes of its faults. A plain hook fails closed.
    pub on_fault: OnFault,
}

/// Equal for one and the same rail or hook only.
///
/// It tells apart what shares a name, a priority and a place: rails made from one generic type, and hooks added
/// in a loop. Each has its own retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RailIdentity(pub(crate) Identity);

#[derive(Clone, Copy)]
pub(crate) enum Identity {
    /// A rail. Its type has a name in constants only as a function.
    Type(fn() -> &'static str),
    /// A plain hook.
    Hook(HookHandle),
}

impl Identity {
    fn key(self) -> Result<&'static str, HookHandle> {
        match self {
            Self::Type(name) => Ok(name()),
            Self::Hook(handle) => Err(handle),
        }
    }
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Identity {}

impl Hash for Identity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key() {
            Ok(name) => f.write_str(name),
            Err(handle) => handle.fmt(f),
        }
    }
}

/// A place in source code: where a rail was declared, or a hook added.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    place: &'static Location<'static>,
    module: &'static &'static str,
}

impl SourceLocation {
    /// The place of the call, for the macros: that of the user's token which the call has.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn here(module: &'static &'static str) -> Self {
        Self { place: Location::caller(), module }
    }

    /// The file, as the compiler was given it.
    #[must_use]
    pub const fn file(&self) -> &'static str {
        self.place.file()
    }

    /// The line, from 1.
    #[must_use]
    pub const fn line(&self) -> u32 {
        self.place.line()
    }

    /// The column, from 1.
    #[must_use]
    pub const fn column(&self) -> u32 {
        self.place.column()
    }

    /// The module, which tells apart what one call of a macro declares in several; empty for a hook.
    #[must_use]
    pub const fn module(&self) -> &'static str {
        self.module
    }

    pub(crate) const fn same(&self, other: &Self) -> bool {
        self.line() == other.line()
            && self.column() == other.column()
            && text::same(self.file(), other.file())
            && text::same(self.module, other.module)
    }
}

impl fmt::Debug for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} in {:?}", self.module)
    }
}

impl Serialize for SourceLocation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("SourceLocation", 4)?;
        fields.serialize_field("file", self.file())?;
        fields.serialize_field("line", &self.line())?;
        fields.serialize_field("column", &self.column())?;
        fields.serialize_field("module", self.module)?;
        fields.end()
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file(), self.line(), self.column())
    }
}
