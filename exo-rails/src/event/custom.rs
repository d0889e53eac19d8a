//! Custom events: [`CustomInputs`] is the payload of any custom event, and the code from `#[derive(Event)]` uses the other
//! items.

use std::any::Any;
use std::fmt;

use crate::event::sound::Decoy;
use crate::event::types::Inputs;
use crate::event::{Allows, Event, Payloads};
use crate::point::{CustomPoint, HookPoint};

/// What `#[derive(Event)]` writes. From it comes [`Event`]: rustc is asked not to list the implementation of the library in
/// messages. In the expansion, the attribute for that may have no name.
#[doc(hidden)]
pub trait DerivedEvent: Payloads {
    /// See [`Event::POINT`].
    const POINT: HookPoint;
    /// See [`Event::ALLOWS`].
    const ALLOWS: Allows;
    /// See [`Event::Returns`].
    type Returns;
    /// See [`Event::Parts`].
    type Parts<'a>;
    /// See [`Event::Shared`].
    type Shared<'a>: Copy + Send + Sync;

    /// See [`Event::parts`].
    fn parts(payload: Self::Payload<'_>) -> Self::Parts<'_>;

    /// See [`Event::share`].
    fn share(payload: Self::Payload<'_>) -> Self::Shared<'_>;

    /// See [`Event::whole`].
    fn whole<'a>(parts: &mut Self::Parts<'a>) -> Option<Inputs<'a>>;

    /// See [`Event::inputs`].
    fn inputs(payload: Self::Payload<'_>) -> Inputs<'_>;

    /// See [`Event::payload`].
    fn payload(inputs: Inputs<'_>) -> Option<Self::Payload<'_>>;
}

#[diagnostic::do_not_recommend]
impl<T: DerivedEvent> Event for T {
    const POINT: HookPoint = T::POINT;
    const ALLOWS: Allows = T::ALLOWS;
    type Returns = T::Returns;
    type Parts<'a> = T::Parts<'a>;
    type Shared<'a> = T::Shared<'a>;

    #[inline(always)]
    fn parts(payload: Self::Payload<'_>) -> Self::Parts<'_> {
        <T as DerivedEvent>::parts(payload)
    }

    #[inline(always)]
    fn share(payload: Self::Payload<'_>) -> Self::Shared<'_> {
        <T as DerivedEvent>::share(payload)
    }

    #[inline]
    fn whole<'a>(parts: &mut Self::Parts<'a>) -> Option<Inputs<'a>> {
        <T as DerivedEvent>::whole(parts)
    }

    #[inline]
    fn inputs(payload: Self::Payload<'_>) -> Inputs<'_> {
        <T as DerivedEvent>::inputs(payload)
    }

    #[inline]
    fn payload(inputs: Inputs<'_>) -> Option<Self::Payload<'_>> {
        <T as DerivedEvent>::payload(inputs)
    }
}

/// Types that a custom event can carry: they are `Debug`, `Send` and `Sync`, and borrow nothing.
///
/// The library implements the trait for all of them.
#[diagnostic::on_unimplemented(
    message = "an event cannot carry `{Self}`",
    label = "an event cannot carry this",
    note = "plain hooks and logs read the payload: it must be `Debug`, `Send` and `Sync`, and own its data"
)]
pub trait EventPart: Any + fmt::Debug + Send + Sync {}

impl<T: Any + fmt::Debug + Send + Sync> EventPart for T {}

/// The payload of a [custom event](derive@crate::Event), for plain hooks and for rails that take [`Inputs`](crate::Inputs).
/// Read its parts by their types.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[derive(Debug)]
/// struct Memories(Vec<String>);
///
/// #[derive(Event)]
/// #[event(payload = &mut Memories, allows = "abort")]
/// struct MemoriesRecalled;
///
/// async fn count(inputs: Inputs<'_>, _ctx: &mut RailContext) {
///     if let Inputs::Custom(inputs) = inputs {
///         let found = inputs.get::<Memories>().map_or(0, |memories| memories.0.len());
///         println!("{}: {found}", inputs.point().name());
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let mut hooks = HookManager::new();
/// hooks.add(MemoriesRecalled::POINT, count);
/// let decision = hooks.dispatch::<MemoriesRecalled>(&mut Memories(vec![]), &mut RunContext::new("demo")).await?;
/// assert!(decision.is_continue());
/// # Ok(()) }
/// ```
pub struct CustomInputs<'a> {
    point: &'static CustomPoint,
    parts: Vec<CustomPart<'a>>,
}

/// One part of a payload, behind the kind of reference that the event declares.
#[doc(hidden)]
pub enum CustomPart<'a> {
    Ref(&'a dyn EventPart),
    Mut(&'a mut dyn EventPart),
}

impl<'a> CustomPart<'a> {
    fn get(&self) -> &dyn EventPart {
        match self {
            Self::Ref(part) => *part,
            Self::Mut(part) => &**part,
        }
    }

    fn reborrow(&mut self) -> CustomPart<'_> {
        match self {
            Self::Ref(part) => CustomPart::Ref(*part),
            Self::Mut(part) => CustomPart::Mut(&mut **part),
        }
    }

    /// Returns the part as a `&T`. `None` if the part has another type.
    #[must_use]
    pub fn into_ref<T: EventPart>(self) -> Option<&'a T> {
        let part: &'a dyn Any = match self {
            Self::Ref(part) => part,
            Self::Mut(part) => part,
        };
        part.downcast_ref()
    }

    /// Returns the part as a `&mut T`. `None` if the part has another type, or if the event carries it by `&`.
    #[must_use]
    pub fn into_mut<T: EventPart>(self) -> Option<&'a mut T> {
        match self {
            Self::Ref(_) => None,
            Self::Mut(part) => (part as &'a mut dyn Any).downcast_mut(),
        }
    }
}

impl<'a> CustomInputs<'a> {
    #[doc(hidden)]
    #[must_use]
    pub fn new(point: &'static CustomPoint, parts: Vec<CustomPart<'a>>) -> Self {
        Self { point, parts }
    }

    /// Returns the parts. `None` if this is the payload of another event.
    #[doc(hidden)]
    #[must_use]
    pub fn of(self, point: &CustomPoint) -> Option<std::vec::IntoIter<CustomPart<'a>>> {
        (self.point == point).then(|| self.parts.into_iter())
    }

    /// Returns the event of this payload.
    #[must_use]
    pub const fn point(&self) -> &'static CustomPoint {
        self.point
    }

    /// Returns the part of this type. `None` if the event carries no such part.
    #[must_use]
    pub fn get<T: EventPart>(&self) -> Option<&T> {
        self.parts.iter().find_map(|part| (part.get() as &dyn Any).downcast_ref())
    }

    /// Returns the part of this type by `&mut`. `None` if the event carries no such part, or carries it by `&`.
    pub fn get_mut<T: EventPart>(&mut self) -> Option<&mut T> {
        self.parts.iter_mut().find_map(|part| match part {
            CustomPart::Ref(_) => None,
            CustomPart::Mut(part) => (&mut **part as &mut dyn Any).downcast_mut(),
        })
    }

    pub(crate) fn reborrow(&mut self) -> CustomInputs<'_> {
        CustomInputs { point: self.point, parts: self.parts.iter_mut().map(CustomPart::reborrow).collect() }
    }
}

impl fmt::Debug for CustomInputs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = f.debug_tuple(self.point.name());
        for part in &self.parts {
            parts.field(&part.get());
        }
        parts.finish()
    }
}

/// Types that a [custom event](derive@crate::Event) can carry: see [`EventPart`].
#[diagnostic::on_unimplemented(
    message = "an event cannot carry `{Self}`",
    label = "an event cannot carry this",
    note = "plain hooks and logs read the payload: it must be `Debug`, `Send` and `Sync`, and own its data",
    note = "write `#[derive(Debug)]` above your type; write `&String` for a text, and `&Vec<_>` for a list",
    note = "to share data between threads, use an `Arc`, a `Mutex` or an atomic, not an `Rc`, a `RefCell` or a `Cell`"
)]
pub trait Carried<Impl = ()> {
    /// The macros name this constant to check that the type implements the trait.
    const CARRIED: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: EventPart> Carried for T {}

/// See [`Decoy`].
#[diagnostic::do_not_recommend]
impl<T: EventPart, Impl: Decoy> Carried<Impl> for T {}
