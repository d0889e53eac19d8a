//! What the macros check, as traits: you meet them in the compiler's messages, and nowhere else.
//!
//! Each says one thing about a name that stands in `#[rail(…)]`, in the signature of a rail, in `rail_chain!`, in
//! `tools!` or above the arguments of a tool. The macros ask it where the name stands, and everything else that they
//! write goes through the answer: so what is wrong is reported there, and once.

pub(crate) mod text;
#[doc(hidden)]
pub mod tools;

use std::ops::ControlFlow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::action::{RailOutput, RetryRequest};
use crate::chain::Chain;
use crate::chain::sorting::Row;
use crate::context::RailContext;
use crate::custom_event::EventPart;
use crate::decision::Outcome;
use crate::event::{
    AllowsSkip, Error, Event, Finished, LlmChunk, LlmError, Param, Payloads, PostCompaction, PostLlmCall, PostToolCall,
    PreCompaction, PreLlmCall, PreToolCall, SessionEnd, SessionStart, SharedParam, Start, ToolError,
};
use crate::fault::OnFault;
use crate::hook_point::HookPoint;
use crate::provided::Provision;
use crate::rail::{Caller, Rail};
use crate::rails::{GuardSet, Serves};
use crate::reason::Reason;

pub use crate::handled::{BeforeTool, ToolEvent};

/// Rails that a chain lists by their name alone: they have no state, so one value serves all chains.
///
/// `#[rail]` implements it for functions, `rail_chain!` for chains without fields.
#[diagnostic::on_unimplemented(
    message = "a chain cannot list `{Self}` by its name alone",
    label = "not the rail of a function",
    note = "a rail that is a type, with state or without, is a field of a chain that has a name: `content_filter: ContentFilter`",
    note = "by its name alone stands the rail of an `async fn` or `fn` under `#[rail(on = [PreToolCall])]`, or a chain without fields"
)]
pub trait Stateless: Rail + Sized + 'static {
    /// The one value.
    const RAIL: &'static Self;

    /// What a chain knows of the rail before it runs.
    #[doc(hidden)]
    const ROW: Row = <Self as Rail>::ROW;
}

/// Implemented by a [`Chain`] for each rail `R` that it lists.
///
/// A rail that is listed twice, be it under two names, makes two implementations: the compiler then reports a
/// conflict at both places. A chain runs each rail once.
pub trait RunsEachRailOnce<R>: Chain {}

/// [`Param`] with the payload of the event beside it, so that the message about a parameter says what there is.
#[diagnostic::on_unimplemented(
    message = "`{E}` does not carry `{Self}`",
    label = "a rail on `{E}` cannot take this",
    note = "`{E}` carries `{Payload}`; what it carries by `&mut` can be taken by `&` too",
    note = "every event has `&mut RailContext`, and `Inputs<'_>`: the union of all payloads, for a rail on events with different ones",
    note = "what an earlier rail hands on is declared, `needs = [RateLimitLeft]`; the arguments of a tool are `&Args<DeleteFile>`"
)]
pub trait CarriedBy<'a, E: Event, Payload>: Sized {
    /// See [`Param`].
    #[doc(hidden)]
    const TAKES: u8;

    #[doc(hidden)]
    fn pick(parts: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'a, E: Event, P: Param<'a, E>> CarriedBy<'a, E, E::Payload<'a>> for P {
    const TAKES: u8 = P::TAKES;

    #[inline]
    fn pick(parts: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> Self {
        match P::take(parts, ctx) {
            Some(param) => param,
            // `once` has been asked for the parameters of the rail.
            None => unreachable!("two parameters of a rail take the same part"),
        }
    }
}

/// What a rail may take that runs concurrently with others: all that the event carries, by `&`.
#[diagnostic::on_unimplemented(
    message = "a rail that runs concurrently with others cannot take `{Self}` at `{E}`",
    label = "a rail with `concurrent` cannot take this",
    note = "it looks at what `{E}` carries, `{Shared}`, and may take `&RailContext`; what changes something runs before or after the others"
)]
pub trait SharedBy<'a, E: Event, Shared>: Sized {
    #[doc(hidden)]
    fn look(payload: E::Shared<'a>, ctx: &'a RailContext) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'a, E: Event, P: SharedParam<'a, E>> SharedBy<'a, E, E::Shared<'a>> for P {
    #[inline]
    fn look(payload: E::Shared<'a>, ctx: &'a RailContext) -> Self {
        SharedParam::look(payload, ctx)
    }
}

/// [`Provision`] with the event: one message for what has not the values in it and for what the event does not allow.
#[diagnostic::on_unimplemented(
    message = "a rail on `{E}` that provides `{T}` cannot return `{Self}`",
    label = "not what a rail that provides `{T}` may return",
    note = "it returns `{T}`, or `Provide<{T}>` when it may stop the event instead; `Error` can only be observed",
    note = "where a skip brings a substitute, it returns `Provide<{T}, S>`: `S` is `InvokeOutput` on `Start`, `ModelResponse` on `PreLlmCall` and `LlmError`, `ToolOutput` on `PreToolCall` and `ToolError`",
    note = "`Result<_, E>` of these is fine too, `E` is an error type or text; several values are a tuple, in the order of `provides`"
)]
pub trait Provides<E: Payloads, T>: Sized {
    /// The values, where there are any, and what comes of the decision.
    #[doc(hidden)]
    fn split(self, caller: &Caller, point: HookPoint) -> (Option<T>, ControlFlow<Outcome<E>>);
}

#[diagnostic::do_not_recommend]
impl<E: Payloads, T, P: Provision<T>> Provides<E, T> for P
where
    P::Decision: RailOutput<E>,
{
    fn split(self, caller: &Caller, point: HookPoint) -> (Option<T>, ControlFlow<Outcome<E>>) {
        let (values, decision) = Provision::split(self);
        (values, RailOutput::flow(decision, caller, point))
    }
}

/// Events at which a fault can come to a skip: `#[rail(on_fault = "skip")]`.
#[diagnostic::on_unimplemented(
    message = "at `{Self}` there is nothing to skip",
    label = "not at `{Self}`",
    note = "write `on_fault = \"continue\"`: the fault is reported, and the run goes on"
)]
pub trait CanSkip: Payloads {
    /// What comes of the fault.
    const ON_FAULT: OnFault;
}

#[diagnostic::do_not_recommend]
impl<E: AllowsSkip> CanSkip for E {
    const ON_FAULT: OnFault = OnFault::Skip;
}

/// What a rail returns that only observes.
#[diagnostic::on_unimplemented(
    message = "a rail with `always` observes: it cannot return `{Self}`",
    label = "not what a rail that observes may return",
    note = "it is called also when a rail before it has stopped the event, so it has nothing to decide",
    note = "it returns `()`, or `Result<(), E>`; `E` is an error type or text"
)]
pub trait Observes<E: Payloads>: Sized {
    /// See [`RailOutput`].
    #[doc(hidden)]
    fn flow(self, caller: &Caller, point: HookPoint) -> ControlFlow<Outcome<E>>;
}

#[diagnostic::do_not_recommend]
impl<E: Payloads> Observes<E> for () {
    fn flow(self, _: &Caller, _: HookPoint) -> ControlFlow<Outcome<E>> {
        ControlFlow::Continue(())
    }
}

#[diagnostic::do_not_recommend]
impl<E: Payloads, Error> Observes<E> for Result<(), Error>
where
    Self: RailOutput<E>,
{
    fn flow(self, caller: &Caller, point: HookPoint) -> ControlFlow<Outcome<E>> {
        RailOutput::flow(self, caller, point)
    }
}

/// [`RailOutput`] with what the event takes back beside it, so that the message about a return type says what there
/// is at this event.
#[diagnostic::on_unimplemented(
    message = "a rail on `{E}` cannot return `{Self}`",
    label = "not what a rail on `{E}` may return",
    note = "of these, a rail on `{E}` returns one: `{Returns}`",
    note = "`()` only observes; an `Option<_>` and a `Result<_, E>` of these are fine too, where `E` is text, or an error type that is `Send` and `Sync`: `Box<dyn Error + Send + Sync>`",
    note = "a rail that hands on a value says so: `provides = [RateLimitLeft]`; where the event allows no retry, `RailAction<NoSubstitute, NoRetry>` skips"
)]
pub trait ReturnedAt<E: Event, Returns, One = ()>: Sized + Send {
    /// See [`RailOutput`].
    const DECIDES: bool;

    #[doc(hidden)]
    fn continues(&self) -> bool;

    #[doc(hidden)]
    fn flow(self, caller: &Caller, point: HookPoint) -> ControlFlow<Outcome<E>>;
}

#[diagnostic::do_not_recommend]
impl<E: Event, T: RailOutput<E>> ReturnedAt<E, E::Returns> for T {
    const DECIDES: bool = T::DECIDES;

    #[inline(always)]
    fn continues(&self) -> bool {
        RailOutput::continues(self)
    }

    #[inline(always)]
    fn flow(self, caller: &Caller, point: HookPoint) -> ControlFlow<Outcome<E>> {
        RailOutput::flow(self, caller, point)
    }
}

/// See [`Never`].
#[diagnostic::do_not_recommend]
impl<E: Event, T: RailOutput<E>, One: Never> ReturnedAt<E, E::Returns, One> for T {
    const DECIDES: bool = T::DECIDES;

    #[inline(always)]
    fn continues(&self) -> bool {
        RailOutput::continues(self)
    }

    #[inline(always)]
    fn flow(self, caller: &Caller, point: HookPoint) -> ControlFlow<Outcome<E>> {
        RailOutput::flow(self, caller, point)
    }
}

/// What serves every event of the lifecycle: all that [`GuardSet`] asks for, as one thing, so that a method called on what
/// is no guard set is not told in terms of each event.
// Written out, and not by a macro: rustc shows where it is declared.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a guard set",
    label = "only a guard set has it",
    note = "guard sets are chains made by `rail_chain!`, `RailManager`, `HookManager` and `NoRails`, and references to them",
    note = "a single rail becomes one in a chain: `rail_chain![my_rail]`"
)]
pub trait ServesEveryEvent
where
    Self: Serves<SessionStart>
        + Serves<Start>
        + Serves<PreCompaction>
        + Serves<PostCompaction>
        + Serves<PreLlmCall>
        + Serves<LlmChunk>
        + Serves<PostLlmCall>
        + Serves<LlmError>
        + Serves<PreToolCall>
        + Serves<PostToolCall>
        + Serves<ToolError>
        + Serves<Finished>
        + Serves<Error>
        + Serves<SessionEnd>,
{
}

#[diagnostic::do_not_recommend]
impl<R> ServesEveryEvent for R where
    R: Serves<SessionStart>
        + Serves<Start>
        + Serves<PreCompaction>
        + Serves<PostCompaction>
        + Serves<PreLlmCall>
        + Serves<LlmChunk>
        + Serves<PostLlmCall>
        + Serves<LlmError>
        + Serves<PreToolCall>
        + Serves<PostToolCall>
        + Serves<ToolError>
        + Serves<Finished>
        + Serves<Error>
        + Serves<SessionEnd>
        + ?Sized
{
}

/// What an agent is guarded with: every guard set, as itself.
///
/// An agent names the type of its guard set through this trait. What is none has no such type, and what is then done
/// with the agent is no further error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a guard set",
    label = "not a guard set",
    note = "guard sets are chains made by `rail_chain!`, `RailManager`, `HookManager` and `NoRails`, and references to them",
    note = "a single rail becomes one in a chain: `rail_chain![my_rail]`"
)]
pub trait IntoRails<One = ()> {
    /// The guard set.
    type Rails: GuardSet;

    /// The guard set.
    fn into_rails(self) -> Self::Rails;
}

#[diagnostic::do_not_recommend]
impl<R: GuardSet> IntoRails for R {
    type Rails = Self;

    fn into_rails(self) -> Self {
        self
    }
}

/// See [`Never`].
#[diagnostic::do_not_recommend]
impl<R: GuardSet, One: Never> IntoRails<One> for R {
    type Rails = Self;

    fn into_rails(self) -> Self {
        self
    }
}

/// What a [custom event](derive@crate::Event) can carry: see [`EventPart`].
#[diagnostic::on_unimplemented(
    message = "an event cannot carry `{Self}`",
    label = "not what an event can carry",
    note = "plain hooks and logs see what an event carries: it is `Debug`, `Send` and `Sync`, and borrows nothing",
    note = "above a type of your own stands `#[derive(Debug)]`; a text is a `&String`, and a list a `&Vec<_>`",
    note = "what threads share is an `Arc`, a `Mutex` or an atomic, and not an `Rc`, a `RefCell` or a `Cell`"
)]
pub trait Carried<One = ()> {
    /// That it is so.
    const CARRIED: bool = true;
}

#[diagnostic::do_not_recommend]
impl<T: EventPart> Carried for T {}

/// See [`Never`].
#[diagnostic::do_not_recommend]
impl<T: EventPart, One: Never> Carried<One> for T {}

/// `T`, from a constant that says that it is what the macro takes it for.
///
/// Where the constant does not compile, rustc knows no such type: it has reported the constant, and nothing that is made
/// of the type is a further error. `Here` is a type of the crate that asks: to a foreign trait of foreign types an
/// implementation could be added one day, so rustc would not look through it where implementations could conflict.
#[doc(hidden)]
pub type Sound<T, Here, const IS_SO: bool> = <Said<IS_SO> as Kept<T, Here>>::Type;

/// See [`Sound`].
#[doc(hidden)]
#[derive(Debug)]
pub enum Said<const IS_SO: bool> {}

/// See [`Sound`].
#[doc(hidden)]
pub trait Kept<T, Here> {
    type Type;
}

impl<T, Here> Kept<T, Here> for Said<true> {
    type Type = T;
}

/// Implemented by nothing.
///
/// Where a trait has one implementation that could be meant, rustc takes it, and reports what that lacks, in words that
/// are not ours. Where it has two, rustc looks at both, and reports the trait itself when neither holds. So some traits
/// have a second one, which never holds: it is for another `One` than the one that is asked for.
#[doc(hidden)]
pub trait Never {}

/// What a decision takes as its reason: what a [`Reason`] can be made from.
#[diagnostic::on_unimplemented(
    message = "a reason is a literal or a `String`, not `{Self}`",
    label = "not a reason",
    note = "what is borrowed has to be copied: `text.clone()`, `text.to_string()`",
    note = "what is no text is put into one: `format!(\"the limit is {{limit}}\")`"
)]
pub trait IntoReason {
    /// The reason.
    fn into_reason(self) -> Reason;
}

#[diagnostic::do_not_recommend]
impl<T: Into<Reason>> IntoReason for T {
    fn into_reason(self) -> Reason {
        self.into()
    }
}

/// What a retry can be made of: how, when and why, or only why.
#[diagnostic::on_unimplemented(
    message = "a retry is a reason or a `RetryRequest`, not `{Self}`",
    label = "not a retry",
    note = "`RailAction::retry(\"it was empty\")` is one, at once; others say more: `RetryRequest::new(\"busy\").with_max_retries(3)`"
)]
pub trait IntoRetry {
    /// The request.
    fn into_retry(self) -> RetryRequest;
}

/// What only a [`RailAction`](crate::RailAction) does. Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "a `Verdict` continues or aborts",
    label = "a verdict can do nothing else",
    note = "a `RailAction` can skip and retry too: let the rail return `RailAction`, and write `RailAction::skip(\"a reason\")`"
)]
pub trait BeyondVerdict {}

/// What can be read from JSON and written as JSON: both at once, so that a type which is neither is one message.
#[diagnostic::on_unimplemented(
    message = "the arguments of a tool are read from JSON and written as JSON: `{Self}` does not have both",
    label = "derive both: `#[derive(Serialize, Deserialize)]`",
    note = "the derives are those of `serde`: `use serde::{{Deserialize, Serialize}}`",
    note = "the arguments own their data: `String` and not `&str`"
)]
pub trait Json<One = ()>: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Json for T {}

/// See [`Never`]: without it, serde says what is missing, once for each of its traits.
#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned, One: Never> Json<One> for T {}

/// What has a JSON schema: whatever derives `JsonSchema`, with the feature `schemars`.
#[cfg_attr(
    feature = "schemars",
    diagnostic::on_unimplemented(
        message = "the tool has no schema of its arguments: `{Self}` does not derive `JsonSchema`",
        label = "no schema",
        note = "derive it: `#[derive(JsonSchema)]`, with `use exo_rails::schemars::{{self, JsonSchema}}`",
        note = "or write it: `#[tool(name = \"…\", schema = json!({{ … }}))]`"
    )
)]
#[cfg_attr(
    not(feature = "schemars"),
    diagnostic::on_unimplemented(
        message = "the tool has no schema of its arguments",
        label = "no schema",
        note = "write it: `#[tool(name = \"…\", schema = json!({{ … }}))]`",
        note = "or derive it: turn on the feature `schemars` of `exo-rails`, and write `#[derive(JsonSchema)]`"
    )
)]
pub trait HasSchema {
    /// The schema.
    fn schema() -> Value;
}

#[cfg(feature = "schemars")]
#[diagnostic::do_not_recommend]
impl<T: schemars::JsonSchema> HasSchema for T {
    fn schema() -> Value {
        // Providers differ in what they know of `$ref`; all of them know a schema that is written out.
        let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
            settings.meta_schema = None;
            settings.inline_subschemas = true;
        });
        let mut schema = settings.into_generator().into_root_schema_for::<T>();
        // The tool has a name and a description of its own.
        schema.remove("title");
        schema.remove("description");
        schema.to_value()
    }
}

/// Asserts that no two parameters take the same part: given the parameters up to one of them.
///
/// # Panics
/// When the last takes what one before it takes: at compile time.
#[doc(hidden)]
#[track_caller]
pub const fn once(takes: &[u8]) {
    let (mut before, mut i) = (0, 0);
    while i + 1 < takes.len() {
        before |= takes[i];
        i += 1;
    }
    assert!(before & takes[i] == 0, "the rail takes the same part of the event twice: once is enough");
}
