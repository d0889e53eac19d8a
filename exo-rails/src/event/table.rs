//! The table of events. What can be generated from a line of it is generated here.

use crate::action::{NoRetry, NoSubstitute, RailAction, Verdict};
use crate::context::RailContext;
use crate::error::{OperationError, RunError};
use crate::event::custom::CustomInputs;
use crate::event::param::{FIRST, Param, SECOND, SharedParam};
use crate::event::{
    Allows, AllowsAbort, AllowsRetry, AllowsSkip, AnyEvent, AnySubstitute, Event, Payloads, SubstituteFor,
};
use crate::message::{
    CompactionInputs, CompactionOutput, InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse, SessionInfo,
    StreamWindow, ToolCallInputs, ToolOutput,
};
use crate::point::HookPoint;

/// The type of one part of a payload, as this event carries it.
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

/// A rail may take a part by `&`, and by `&mut` where the event carries it so.
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

/// The marker traits for what an event allows.
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

/// What a rail on the event may return.
macro_rules! returns {
    (Nothing, $substitute:ident) => { () };
    (Abort, $substitute:ident) => { (Verdict, ()) };
    (Skip, $substitute:ident) => {
        (RailAction<NoSubstitute, NoRetry>, RailAction<$substitute, NoRetry>, Verdict, ())
    };
    (Retry, NoSubstitute) => { (RailAction, Verdict, ()) };
    (Retry, $substitute:ident) => { (RailAction, RailAction<$substitute>, Verdict, ()) };
}

/// What a skip at the event may bring.
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

/// The table of events. A payload has one part or two; two of them make a tuple.
macro_rules! events {
    ($(
        $(#[$doc:meta])*
        $event:ident($mode0:ident $part0:ty $(, $mode1:ident $part1:ty)?) -> $substitute:ident, allows $allows:ident;
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

        /// The payload of any event: for a rail on events with different ones, and for plain hooks.
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
            /// Which event's payload it is.
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

events! {
    /// A session of several runs begins.
    SessionStart(ref SessionInfo) -> NoSubstitute, allows Abort;
    /// A run begins. A skip ends it with a substitute output: a cache hit.
    Start(mut InvokeInputs) -> InvokeOutput, allows Retry;
    /// The history is about to be compacted, because it has outgrown its budget. A skip may bring the history that is
    /// to be used instead; without one, it stays as it is.
    PreCompaction(mut CompactionInputs) -> CompactionOutput, allows Skip;
    /// The history has been compacted. Its rails observe.
    PostCompaction(ref CompactionInputs, ref CompactionOutput) -> NoSubstitute, allows Nothing;
    /// The model is about to be called.
    PreLlmCall(mut ModelCallInputs) -> ModelResponse, allows Retry;
    /// The model has said something more: a piece of its answer, or, where it is not streamed, all of it. A skip lets
    /// the window leave as it stands; a retry has the model called again. To end the answer here, see
    /// [`StreamWindow::end`](crate::StreamWindow::end).
    LlmChunk(ref ModelCallInputs, mut StreamWindow) -> NoSubstitute, allows Retry;
    /// The model has answered. A skip accepts the answer as it stands.
    PostLlmCall(ref ModelCallInputs, mut ModelResponse) -> NoSubstitute, allows Retry;
    /// The call of the model has failed. A skip may bring a substitute, an answer from another provider; without
    /// one, the error goes on and no further rail is asked.
    LlmError(ref ModelCallInputs, ref OperationError) -> ModelResponse, allows Retry;
    /// A tool is about to be called.
    PreToolCall(mut ToolCallInputs) -> ToolOutput, allows Retry;
    /// A tool has returned. A skip accepts the output as it stands.
    PostToolCall(ref ToolCallInputs, mut ToolOutput) -> NoSubstitute, allows Retry;
    /// A tool has failed. A skip may bring a substitute; without one, the error goes on and no further rail is
    /// asked.
    ToolError(ref ToolCallInputs, ref OperationError) -> ToolOutput, allows Retry;
    /// A run has its answer. A skip accepts it as it stands, a retry does the whole run again.
    Finished(ref InvokeInputs, mut InvokeOutput) -> NoSubstitute, allows Retry;
    /// A run ends with an error. Its rails observe.
    Error(ref InvokeInputs, ref RunError) -> NoSubstitute, allows Nothing;
    /// A session ends. Its rails observe.
    SessionEnd(ref SessionInfo) -> NoSubstitute, allows Nothing;
}

/// Plain hooks may skip with what the operation yields as well; which event it is shows when they run.
macro_rules! any_substitute {
    ($($substitute:ty),*) => {$(
        impl SubstituteFor<AnyEvent> for $substitute {
            fn into_substitute(self) -> AnySubstitute {
                Box::new(self)
            }
        }
    )*};
}

any_substitute!(InvokeOutput, ModelResponse, ToolOutput, CompactionOutput);

/// For what a custom event takes as a substitute.
impl SubstituteFor<AnyEvent> for AnySubstitute {
    fn into_substitute(self) -> AnySubstitute {
        self
    }
}
