//! Events: the points of an agent's lifecycle, as types that know which data they carry and what they allow.

use crate::action::{NoRetry, NoSubstitute, RailAction, Verdict};
use crate::compaction::{CompactionInputs, CompactionOutput};
use crate::context::RailContext;
use crate::custom_event::CustomInputs;
use crate::error::{OperationError, RunError};
use crate::hook_point::HookPoint;
use crate::payload::{InvokeInputs, InvokeOutput, ModelCallInputs, ModelResponse, ToolCallInputs, ToolOutput};
use crate::session::SessionInfo;
use crate::stream::StreamWindow;

/// What an event hands to its rails, and what a skip may put in the place of its operation's result.
///
/// The typed [events](crate::events) have it, and [`AnyEvent`], which plain hooks serve.
pub trait Payloads: Sized + Send + Sync + 'static {
    /// The data that the event carries: references to its parts, in a tuple where there are two.
    type Payload<'a>: Send;

    /// What stands in for the operation's result when a rail skips it; [`NoSubstitute`](crate::NoSubstitute)
    /// where nothing can.
    type Substitute: Send + 'static;

    /// Lends the payload to one rail.
    fn reborrow<'s>(payload: &'s mut Self::Payload<'_>) -> Self::Payload<'s>;
}

/// A point of an agent's lifecycle, as a type.
///
/// | event | payload | a skip may bring |
/// |---|---|---|
/// | [`SessionStart`] | `&SessionInfo` | |
/// | [`Start`] | `&mut InvokeInputs` | `InvokeOutput` |
/// | [`PreCompaction`] | `&mut CompactionInputs` | `CompactionOutput` |
/// | [`PostCompaction`] | `&CompactionInputs`, `&CompactionOutput` | |
/// | [`PreLlmCall`] | `&mut ModelCallInputs` | `ModelResponse` |
/// | [`LlmChunk`] | `&ModelCallInputs`, `&mut StreamWindow` | |
/// | [`PostLlmCall`] | `&ModelCallInputs`, `&mut ModelResponse` | |
/// | [`LlmError`] | `&ModelCallInputs`, `&OperationError` | `ModelResponse` |
/// | [`PreToolCall`] | `&mut ToolCallInputs` | `ToolOutput` |
/// | [`PostToolCall`] | `&ToolCallInputs`, `&mut ToolOutput` | |
/// | [`ToolError`] | `&ToolCallInputs`, `&OperationError` | `ToolOutput` |
/// | [`Finished`] | `&InvokeInputs`, `&mut InvokeOutput` | |
/// | [`Error`](struct@Error) | `&InvokeInputs`, `&RunError` | |
/// | [`SessionEnd`] | `&SessionInfo` | |
///
/// Custom events are declared with [`#[derive(Event)]`](derive@crate::Event).
///
/// A rail may ask for any part of the payload, by `&` or, where the table says `&mut`, by either; for
/// `&mut RailContext` or `&RailContext`; or for the whole as [`Inputs`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "the events are `SessionStart`, `Start`, `PreCompaction`, `PostCompaction`, `PreLlmCall`, `LlmChunk`, `PostLlmCall`, `LlmError`, `PreToolCall`, `PostToolCall`, `ToolError`, `Finished`, `Error` and `SessionEnd`, all in `exo_rails::prelude`",
    note = "one of your own is declared with `#[derive(Event)]`"
)]
pub trait Event: Payloads {
    /// The same point as a runtime value.
    const POINT: HookPoint;

    /// What its rails may decide, as a value: the runtime side of [`AllowsAbort`] and [`AllowsRetry`].
    const ALLOWS: Allows;

    /// What its rails may return, the parts of a tuple: for the message about what they may not.
    #[doc(hidden)]
    type Returns;

    /// The payload, part by part, as the parameters of one rail take it.
    #[doc(hidden)]
    type Parts<'a>;

    /// Takes the payload apart.
    #[doc(hidden)]
    fn parts(payload: Self::Payload<'_>) -> Self::Parts<'_>;

    /// The payload, for several rails to look at together.
    #[doc(hidden)]
    type Shared<'a>: Copy + Send + Sync;

    /// Lends the payload to all of them.
    #[doc(hidden)]
    fn share(payload: Self::Payload<'_>) -> Self::Shared<'_>;

    /// Puts the parts together again, for a rail that takes them all; `None` when one is gone.
    #[doc(hidden)]
    fn whole<'a>(parts: &mut Self::Parts<'a>) -> Option<Inputs<'a>>;

    /// The payload as the union that plain hooks receive.
    fn inputs(payload: Self::Payload<'_>) -> Inputs<'_>;

    /// The payload of this event in the union; `None` when it is another event's.
    fn payload(inputs: Inputs<'_>) -> Option<Self::Payload<'_>>;
}

/// What the rails of an event may decide beside "continue". Each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Allows {
    /// Nothing: they observe.
    Nothing,
    /// To abort.
    Abort,
    /// To skip and to abort.
    Skip,
    /// To retry, to skip and to abort.
    Retry,
}

/// Events whose rails may abort the run.
pub trait AllowsAbort: Payloads {}

/// Events whose rails may also skip the operation.
pub trait AllowsSkip: AllowsAbort {}

/// Events whose rails may also have the operation done again.
pub trait AllowsRetry: AllowsSkip {}

/// Types that a skip may put in the place of what the operation of event `E` yields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand in for the result of the operation at `{E}`",
    label = "not what the operation yields",
    note = "a skip brings an `InvokeOutput` at `Start`, a `ModelResponse` at `PreLlmCall` and `LlmError`, a `ToolOutput` at `PreToolCall` and `ToolError`, a `CompactionOutput` at `PreCompaction`, at a custom event what its `substitute` says, and nothing elsewhere"
)]
pub trait SubstituteFor<E: Payloads>: Send {
    /// The substitute as the event has it.
    fn into_substitute(self) -> E::Substitute;
}

impl<E: Payloads> SubstituteFor<E> for NoSubstitute {
    fn into_substitute(self) -> E::Substitute {
        match self {}
    }
}

/// Types that a rail on event `E` may take as a parameter.
///
/// The type alone picks what the rail receives: the parameters stand in any order, each at most once.
#[diagnostic::on_unimplemented(
    message = "`{E}` does not carry `{Self}`",
    label = "a rail on `{E}` cannot take this",
    note = "a rail takes what its events carry, `&mut RailContext`, or `Inputs<'_>`: the union of all payloads"
)]
pub trait Param<'a, E: Event>: Sized {
    /// Which parts of the payload this type takes, as bits, to find two parameters that want the same.
    #[doc(hidden)]
    const TAKES: u8;

    #[doc(hidden)]
    fn take(parts: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> Option<Self>;
}

/// Types that a rail on event `E` may take as a parameter when it [runs concurrently](macro@crate::rail_chain#concurrent) with
/// others: all that is behind `&`.
#[doc(hidden)]
pub trait SharedParam<'a, E: Event>: Sized {
    fn look(payload: E::Shared<'a>, ctx: &'a RailContext) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'a, E: Event> SharedParam<'a, E> for &'a RailContext {
    #[inline]
    fn look(_: E::Shared<'a>, ctx: &'a RailContext) -> Self {
        ctx
    }
}

const FIRST: u8 = 0b01;
const SECOND: u8 = 0b10;
const CONTEXT: u8 = 1 << MOST_PARTS;
const ALL_PARTS: u8 = CONTEXT - 1;

/// The most parts that a payload has.
const MOST_PARTS: u32 = 7;

#[diagnostic::do_not_recommend]
impl<'a, E: Event> Param<'a, E> for &'a mut RailContext {
    const TAKES: u8 = CONTEXT;

    #[inline]
    fn take(_: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> Option<Self> {
        ctx.take()
    }
}

#[diagnostic::do_not_recommend]
impl<'a, E: Event> Param<'a, E> for &'a RailContext {
    const TAKES: u8 = CONTEXT;

    #[inline]
    fn take(_: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> Option<Self> {
        ctx.take().map(|ctx| &*ctx)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, E: Event> Param<'a, E> for Inputs<'a> {
    const TAKES: u8 = ALL_PARTS;

    #[inline]
    fn take(parts: &mut E::Parts<'a>, _: &mut Option<&'a mut RailContext>) -> Option<Self> {
        E::whole(parts)
    }
}

/// Any event, for what is chosen at run time: the payload is the union [`Inputs`], and which event it is
/// stands in it. Plain hooks serve it.
#[derive(Clone, Copy, Debug)]
pub struct AnyEvent;

/// A substitute of which only its maker knows the type, from a plain hook.
pub type AnySubstitute = Box<dyn std::any::Any + Send>;

impl Payloads for AnyEvent {
    type Payload<'a> = Inputs<'a>;
    type Substitute = AnySubstitute;

    #[inline]
    fn reborrow<'s>(payload: &'s mut Inputs<'_>) -> Inputs<'s> {
        payload.reborrow()
    }
}

// What a hook decides is held against the event when it runs: see `HookManager`.
impl AllowsAbort for AnyEvent {}
impl AllowsSkip for AnyEvent {}
impl AllowsRetry for AnyEvent {}

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
