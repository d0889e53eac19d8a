//! The types of the events, generated from the [table](crate::point::event_table).

use crate::action::{
    EventCannotAbort, EventCannotRetry, EventCannotSkip, NoRetry, NoSubstitute, RailAction, RailRetry, RailSkip,
    Verdict,
};
use crate::context::RailContext;
use crate::error::{OpenQuestion, OperationError, RailAbortError, RunError};
use crate::event::custom::CustomInputs;
use crate::event::param::{FIRST, Param, SECOND, SharedParam};
use crate::event::{
    Allows, AllowsAbort, AllowsRetry, AllowsSkip, AnyEvent, AnySubstitute, Event, Payloads, SubstituteFor,
};
use crate::message::{
    CompactionInputs, CompactionOutput, ContextInputs, DroppedInputs, InvokeInputs, InvokeOutput, MemoryEntry,
    MemoryQuery, ModelCallInputs, ModelResponse, RecalledMemory, SessionInfo, StreamWindow, ToolCallInputs, ToolOutput,
};
use crate::point::{HookPoint, event_table};

/// The type of one part of a payload: a reference of the kind in the table.
macro_rules! part {
    ($a:lifetime, mut $part:ty) => { &$a mut $part };
    ($a:lifetime, ref $part:ty) => { &$a $part };
}

/// Lends one part of a payload.
macro_rules! lend {
    (mut $part:expr) => {
        &mut **$part
    };
    (ref $part:expr) => {
        &**$part
    };
}

/// Implements [`Param`] for a part: for `&`, and also for `&mut` if the event carries the part by `&mut`.
macro_rules! params {
    ($event:ident, $bit:ident, $index:tt, ref $part:ty) => {
        #[diagnostic::do_not_recommend]
        impl<'a> Param<'a, $event> for &'a $part {
            const TAKES: u8 = $bit;

            #[inline]
            fn take(parts: &mut <$event as Event>::Parts<'a>, _: &mut Option<&'a mut RailContext>) -> Option<Self> {
                parts.$index.take().map(|part| &*part)
            }
        }
    };
    ($event:ident, $bit:ident, $index:tt, mut $part:ty) => {
        params!($event, $bit, $index, ref $part);

        #[diagnostic::do_not_recommend]
        impl<'a> Param<'a, $event> for &'a mut $part {
            const TAKES: u8 = $bit;

            #[inline]
            fn take(parts: &mut <$event as Event>::Parts<'a>, _: &mut Option<&'a mut RailContext>) -> Option<Self> {
                parts.$index.take()
            }
        }
    };
}

/// Implements the marker traits for the actions that an event allows.
macro_rules! allows {
    ($event:ident, Nothing) => {};
    ($event:ident, Abort) => {
        impl AllowsAbort for $event {}
    };
    ($event:ident, Skip) => {
        allows!($event, Abort);
        impl AllowsSkip for $event {}
    };
    ($event:ident, Retry) => {
        allows!($event, Skip);
        impl AllowsRetry for $event {}
    };
}

/// The content of a decision for an action, or a type without values if the event does not allow the action.
macro_rules! allowed {
    (Nothing, abort) => { EventCannotAbort };
    (Nothing, skip $substitute:ident) => { EventCannotSkip };
    (Abort, skip $substitute:ident) => { EventCannotSkip };
    (Nothing, retry) => { EventCannotRetry };
    (Abort, retry) => { EventCannotRetry };
    (Skip, retry) => { EventCannotRetry };
    ($allows:ident, abort) => { RailAbortError };
    ($allows:ident, retry) => { RailRetry };
    ($allows:ident, skip $substitute:ident) => { RailSkip<$substitute> };
}

/// The return types of a rail on the event.
macro_rules! returns {
    (Nothing, $substitute:ident) => { () };
    (Abort, $substitute:ident) => { (Verdict, ()) };
    (Skip, $substitute:ident) => {
        (RailAction<NoSubstitute, NoRetry>, RailAction<$substitute, NoRetry>, Verdict, ())
    };
    (Retry, NoSubstitute) => { (RailAction, Verdict, ()) };
    (Retry, $substitute:ident) => { (RailAction, RailAction<$substitute>, Verdict, ()) };
}

/// Implements [`SubstituteFor`] for the substitute of the event.
macro_rules! substitute {
    ($event:ident, NoSubstitute) => {};
    ($event:ident, $substitute:ty) => {
        impl SubstituteFor<$event> for $substitute {
            fn into_substitute(self) -> $substitute {
                self
            }
        }
    };
}

/// Writes the types of the events. A payload has one or two parts, and two parts make a tuple.
macro_rules! events {
    ($(
        $(#[$doc:meta])*
        $event:ident = $number:literal $name:literal $when:ident
            ($mode0:ident $name0:ident: $part0:ty $(, $mode1:ident $name1:ident: $part1:ty)?) -> $substitute:ident,
            allows $allows:ident;
    )*) => {
        /// The events, one type for each.
        pub mod events {
            $(
                $(#[$doc])*
                #[derive(Clone, Copy, Debug)]
                pub struct $event;
            )*
        }

        pub(crate) use events::{$($event,)*};

        /// The payload of any event, for plain hooks and for a rail on events with different payloads.
        ///
        /// ```
        /// use exo_rails::prelude::*;
        ///
        /// #[rail(priority = 10, on = [PreToolCall, Start])]
        /// async fn size_limit(inputs: Inputs<'_>) -> RailAction {
        ///     let size = match inputs {
        ///         Inputs::Start(run) => run.input.text().len(),
        ///         Inputs::PreToolCall(call) => call.arguments.to_string().len(),
        ///         _ => 0,
        ///     };
        ///     if size > 100_000 { RailAction::abort(format!("{size} bytes are too many")) } else { RailAction::Continue }
        /// }
        /// ```
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum Inputs<'a> {
            $(
                #[doc = concat!("The payload of [`", stringify!($event), "`](struct@crate::events::", stringify!($event), ").")]
                $event(part!('a, $mode0 $part0) $(, part!('a, $mode1 $part1))?),
            )*
            /// The payload of a custom event.
            Custom(CustomInputs<'a>),
        }

        impl Inputs<'_> {
            /// Returns the point of the event.
            #[must_use]
            pub const fn point(&self) -> HookPoint {
                match self {
                    $(Self::$event(..) => HookPoint::$event,)*
                    Self::Custom(inputs) => HookPoint::Custom(inputs.point()),
                }
            }

            /// Lends the payload.
            #[must_use]
            pub fn reborrow(&mut self) -> Inputs<'_> {
                match self {
                    $(events!(@pattern $event one $(, $mode1 two)?) => {
                        Inputs::$event(lend!($mode0 one) $(, lend!($mode1 two))?)
                    })*
                    Inputs::Custom(inputs) => Inputs::Custom(inputs.reborrow()),
                }
            }
        }

        $(
            #[diagnostic::do_not_recommend]
            impl Payloads for $event {
                type Payload<'a> = events!(@payload 'a, $mode0 $part0 $(, $mode1 $part1)?);
                type Substitute = $substitute;
                type Skip = allowed!($allows, skip $substitute);
                type Retry = allowed!($allows, retry);
                type Abort = allowed!($allows, abort);

                #[inline]
                fn reborrow<'s>(payload: &'s mut Self::Payload<'_>) -> Self::Payload<'s> {
                    events!(@reborrow payload, $mode0 $(, $mode1)?)
                }
            }

            #[diagnostic::do_not_recommend]
            impl Event for $event {
                const POINT: HookPoint = HookPoint::$event;
                const ALLOWS: Allows = Allows::$allows;
                type Returns = returns!($allows, $substitute);
                type Parts<'a> = (Option<part!('a, $mode0 $part0)>, $(Option<part!('a, $mode1 $part1)>,)?);

                #[inline]
                fn parts(payload: Self::Payload<'_>) -> Self::Parts<'_> {
                    let events!(@bind one $(, $mode1 two)?) = payload;
                    (Some(one), $(events!(@keep $mode1 Some(two)),)?)
                }

                type Shared<'a> = events!(@payload 'a, ref $part0 $(, ref $part1)?);

                #[inline]
                fn share(payload: Self::Payload<'_>) -> Self::Shared<'_> {
                    let events!(@bind one $(, $mode1 two)?) = payload;
                    events!(@lent one $(, $mode1 two)?)
                }

                #[inline]
                fn whole<'a>(parts: &mut Self::Parts<'a>) -> Option<Inputs<'a>> {
                    Some(Inputs::$event(parts.0.take()? $(, events!(@keep $mode1 parts.1.take()?))?))
                }

                #[inline]
                fn inputs(payload: Self::Payload<'_>) -> Inputs<'_> {
                    let events!(@bind one $(, $mode1 two)?) = payload;
                    Inputs::$event(one $(, events!(@keep $mode1 two))?)
                }

                #[inline]
                fn payload(inputs: Inputs<'_>) -> Option<Self::Payload<'_>> {
                    match inputs {
                        events!(@pattern $event one $(, $mode1 two)?) => Some(events!(@bind one $(, $mode1 two)?)),
                        _ => None,
                    }
                }
            }

            params!($event, FIRST, 0, $mode0 $part0);
            $(params!($event, SECOND, 1, $mode1 $part1);)?
            events!(@shared $event, $part0 $(, $part1)?);
            allows!($event, $allows);
            substitute!($event, $substitute);
        )*
    };

    (@shared $event:ident, $part:ty) => {
        #[diagnostic::do_not_recommend]
        impl<'a> SharedParam<'a, $event> for &'a $part {
            #[inline]
            fn look(payload: &'a $part, _: &'a RailContext) -> Self {
                payload
            }
        }
    };
    (@shared $event:ident, $part0:ty, $part1:ty) => {
        #[diagnostic::do_not_recommend]
        impl<'a> SharedParam<'a, $event> for &'a $part0 {
            #[inline]
            fn look((part, _): (&'a $part0, &'a $part1), _: &'a RailContext) -> Self {
                part
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'a> SharedParam<'a, $event> for &'a $part1 {
            #[inline]
            fn look((_, part): (&'a $part0, &'a $part1), _: &'a RailContext) -> Self {
                part
            }
        }
    };
    (@payload $a:lifetime, $mode0:ident $part0:ty) => { part!($a, $mode0 $part0) };
    (@payload $a:lifetime, $mode0:ident $part0:ty, $mode1:ident $part1:ty) => {
        (part!($a, $mode0 $part0), part!($a, $mode1 $part1))
    };
    (@reborrow $payload:ident, $mode0:ident) => { lend!($mode0 $payload) };
    (@reborrow $payload:ident, $mode0:ident, $mode1:ident) => {{
        let (one, two) = $payload;
        (lend!($mode0 one), lend!($mode1 two))
    }};
    (@bind $one:ident) => { $one };
    (@bind $one:ident, $mode1:ident $two:ident) => { ($one, $two) };
    (@lent $one:ident) => { $one };
    (@lent $one:ident, $mode1:ident $two:ident) => { ($one, $two) };
    (@pattern $event:ident $one:ident) => { Inputs::$event($one) };
    (@pattern $event:ident $one:ident, $mode1:ident $two:ident) => { Inputs::$event($one, $two) };
    (@keep $mode1:ident $kept:expr) => { $kept };
}

event_table!(events);

/// Implements [`SubstituteFor`] for plain hooks, with the result types of all operations.
/// [`HookManager`](crate::HookManager) checks the type at the event.
macro_rules! any_substitute {
    ($($substitute:ty),*) => {$(
        impl SubstituteFor<AnyEvent> for $substitute {
            fn into_substitute(self) -> AnySubstitute {
                Box::new(self)
            }
        }
    )*};
}

any_substitute!(InvokeOutput, ModelResponse, ToolOutput, CompactionOutput, RecalledMemory);

/// The substitute of a custom event.
impl SubstituteFor<AnyEvent> for AnySubstitute {
    fn into_substitute(self) -> AnySubstitute {
        self
    }
}
