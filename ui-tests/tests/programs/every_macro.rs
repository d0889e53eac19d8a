// Every macro, in every form. All that is not a macro of the library is named by its whole path, so the programs that include this
// file can do without a prelude, or give its names other meanings.

use ::exo_rails::events::{
    Dropped, LlmChunk, PostLlmCall, PostToolCall, PreLlmCall, PreToolCall, Start, Suspended, ToolError,
};
use ::exo_rails::operations::ToolCall;
use ::exo_rails::{
    Args, Chain, InvokeInputs, Next, OperationError, Permit, Provide, RailAction, RailContext, RunContext, StreamWindow,
    ToolCallInputs, ToolFor, ToolOutput, Verdict,
};
use ::serde::{Deserialize, Serialize};

/// Deletes a file.
#[::core::prelude::v1::derive(::core::fmt::Debug, Serialize, Deserialize, ::exo_rails::ToolArgs)]
#[tool(name = "delete_file", schema = ::serde_json::Value::Null)]
pub struct DeleteFile {
    path: ::std::string::String,
}

mod derived {
    // What `JsonSchema` writes needs it.
    use ::core::convert::Into as _;


    /// Finds files, with a schema from its type.
    #[::core::prelude::v1::derive(::core::fmt::Debug, ::serde::Serialize, ::serde::Deserialize, ::exo_rails::ToolArgs, ::exo_rails::schemars::JsonSchema)]
    #[schemars(crate = "::exo_rails::schemars")]
    #[tool(name = "search")]
    pub struct Search {
        query: ::std::string::String,
    }
}

pub use derived::Search;

::exo_rails::tools! {
    /// All tools.
    #[::core::prelude::v1::derive(::core::fmt::Debug)]
    pub struct Tools { search: Search, delete_file: DeleteFile }
}

::exo_rails::tools! {
    struct NoTools {}
}

/// A value that a rail provides.
#[::core::prelude::v1::derive(::core::fmt::Debug, ::exo_rails::Provided)]
pub struct Left(u32);

/// Another, with a parameter.
#[::core::prelude::v1::derive(::core::fmt::Debug, ::exo_rails::Provided)]
pub struct Named(u8);

/// What an event carries.
#[::core::prelude::v1::derive(::core::clone::Clone, ::core::fmt::Debug, ::core::default::Default)]
pub struct Memories(u8);

/// Carries nothing.
#[::core::prelude::v1::derive(::core::fmt::Debug, ::exo_rails::Event)]
pub struct Tick;

/// Carries a part.
#[::core::prelude::v1::derive(::core::fmt::Debug, ::exo_rails::Event)]
#[event(payload = &mut Memories, allows = "skip", substitute = Memories)]
pub struct Recalled;

/// Carries several parts.
#[::core::prelude::v1::derive(::core::fmt::Debug, ::exo_rails::Event)]
#[event(payload = (&u8, &mut Memories), allows = "retry", name = "steps.all", after = true)]
pub struct Stepped;

/// Observes.
#[::core::prelude::v1::derive(::core::fmt::Debug, ::exo_rails::Event)]
#[event(payload = &u8, allows = "abort")]
pub struct Aborts;

/// A custom operation.
#[::core::prelude::v1::derive(::core::fmt::Debug, ::exo_rails::Operation)]
#[operation(inputs = u8, output = u16)]
pub struct Count;

/// A plain rail.
#[::exo_rails::rail(priority = 10, on = [PreToolCall, PostToolCall])]
pub async fn plain(call: &ToolCallInputs, ctx: &mut RailContext) -> RailAction {
    let _ = (call, ctx.step());
    RailAction::Continue
}

/// A rail that is not `async`, at an event whose name is no event here.
#[::exo_rails::rail(on = [Error, Suspended, Start], always, name = "told")]
fn told(inputs: &::exo_rails::Inputs<'_>) -> ::core::result::Result<(), ::std::string::String> {
    let _ = inputs;
    ::core::result::Result::Ok(())
}

#[::exo_rails::rail(on = [PreToolCall])]
fn whole(inputs: ::exo_rails::Inputs<'_>) -> ::core::option::Option<RailAction> {
    let _ = inputs;
    ::core::option::Option::None
}

#[::exo_rails::rail(on = [Dropped])]
fn dropped(_: &::exo_rails::DroppedInputs) {}

#[::exo_rails::rail(on = [PreToolCall], tool = "delete_file", tools = Tools, timeout = "2s", on_panic = "fault", on_fault = "continue")]
async fn changes(args: &mut Args<DeleteFile>, ctx: &mut RailContext) -> RailAction<ToolOutput> {
    args.path.push('!');
    if ctx.step() > 9 {
        return RailAction::skip_with(ToolOutput::text("no"), "too late");
    }
    RailAction::Continue
}

#[::exo_rails::rail(on = [PreToolCall, PostToolCall, ToolError], on_panic = "fault", on_fault = "abort")]
fn looks(args: &Args<DeleteFile>) {
    let _ = &args.path;
}

#[::exo_rails::rail(on = [PreToolCall], timeout = "1s", on_fault = "continue")]
async fn rewrites(call: &mut ToolCallInputs) -> ::core::result::Result<Verdict, ::std::string::String> {
    call.tool_name.push('!');
    ::core::result::Result::Ok(Verdict::Continue)
}

#[::exo_rails::rail(on = [PreToolCall], on_fault = "skip", on_panic = "fault")]
fn rewrites_at_once(call: &mut ToolCallInputs) -> ::core::result::Result<(), ::std::string::String> {
    call.tool_name.push('!');
    ::core::result::Result::Ok(())
}

#[::exo_rails::rail(on = [PreToolCall], concurrent)]
async fn concurrent(call: &ToolCallInputs, ctx: &RailContext) -> Verdict {
    Verdict::abort_if(call.tool_name.is_empty() && ctx.step() > 9, "none")
}

#[::exo_rails::rail(on = [PreToolCall], concurrent, timeout = "1s")]
async fn concurrent_too(call: &ToolCallInputs) {
    let _ = call;
}

#[::exo_rails::rail(on = [LlmChunk], concurrent, window = 8)]
fn concurrent_window(window: &StreamWindow) {
    let _ = window;
}

#[::exo_rails::rail(on = [PreToolCall], around)]
async fn around(
    call: &ToolCallInputs,
    next: impl Next<ToolCall>,
) -> ::core::result::Result<ToolOutput, OperationError> {
    let _ = call;
    next.run().await
}

#[::exo_rails::rail(priority = 1, on = [PreToolCall], provides = [Left])]
fn provides() -> Left {
    Left(3)
}

#[::exo_rails::rail(priority = 2, on = [PreToolCall], needs = [Left], provides = [Memories2, Named])]
async fn provides_two(left: &Left) -> ::core::result::Result<Provide<(Memories2, Named)>, ::std::string::String> {
    ::core::result::Result::Ok(Provide::value((Memories2(left.0), Named(1))))
}

#[::core::prelude::v1::derive(::exo_rails::Provided)]
struct Memories2(u32);

#[::exo_rails::rail(priority = 3 + 4, on = [PreToolCall], needs = [Memories2, Named])]
fn needs(memories: &Memories2, named: &Named) {
    let _ = (memories.0, named.0);
}

#[::exo_rails::rail(on = [LlmChunk, PostLlmCall], window = 16)]
async fn window(response: ::exo_rails::Inputs<'_>) {
    let _ = response;
}

#[::exo_rails::rail(on = [Recalled, Stepped, Tick], after = [plain], before = [needs])]
fn custom(inputs: &::exo_rails::Inputs<'_>) {
    let _ = inputs;
}

#[::exo_rails::rail(on = [Recalled], timeout = "1s", on_fault = "continue")]
async fn custom_part(memories: &mut Memories) -> RailAction<Memories, ::exo_rails::NoRetry> {
    memories.0 += 1;
    RailAction::skip_with(::core::clone::Clone::clone(memories), "known")
}

#[::exo_rails::rail(on = [Stepped, Aborts])]
fn custom_parts(one: &u8) -> Verdict {
    Verdict::abort_if(*one > 9, "too many")
}

#[::exo_rails::rail(on = [PreCount, PostCount, CountError])]
async fn counted() {}

#[::exo_rails::rail(on = [PreCount], around)]
async fn around_count(next: impl Next<Count>) -> ::core::result::Result<u16, OperationError> {
    next.run().await
}

/// A type.
#[::core::prelude::v1::derive(::core::fmt::Debug)]
pub struct Limit<S> {
    most: ::core::time::Duration,
    window: usize,
    store: S,
}

#[::exo_rails::rail(priority = 30, name = "limit", tools = Tools)]
impl<S: ::core::marker::Send + ::core::marker::Sync + ::core::fmt::Debug> Limit<S> {
    #[on(PreToolCall, timeout = self.most, on_panic = "fault")]
    async fn before(&self, call: &mut ToolCallInputs) -> Verdict {
        let _ = (&self.store, call);
        Verdict::Continue
    }

    #[on(PostToolCall, tool = "search")]
    fn after(&self, output: &mut ToolOutput) {
        output.content.push('!');
    }

    #[on(PreLlmCall)]
    fn neither() {}

    #[on(LlmChunk, window = self.window)]
    fn chunk(&self, window: &mut StreamWindow) {
        let _ = window;
    }

    #[on(ToolError, always)]
    fn failed(&self, error: &OperationError) {
        let _ = error;
    }

    #[on(Start, around)]
    async fn run(
        &self,
        inputs: &InvokeInputs,
        next: impl Next<::exo_rails::operations::Run>,
    ) -> ::core::result::Result<::exo_rails::InvokeOutput, ::exo_rails::RunError> {
        let _ = inputs;
        next.run().await
    }
}

/// Another type.
#[::core::prelude::v1::derive(::core::fmt::Debug)]
pub struct Concrete;

#[::exo_rails::rail]
impl Concrete {
    #[on(PreToolCall)]
    fn before(&self) {}
}

/// Borrows.
#[::core::prelude::v1::derive(::core::fmt::Debug)]
pub struct Label<'a, const N: usize>(&'a [u8; N]);

#[::exo_rails::rail]
impl<const N: usize> Label<'_, N> {
    #[on(Tick)]
    fn tick(&self) {}

    #[on(PreToolCall)]
    fn before(&self, ctx: &RailContext) -> Verdict {
        Verdict::abort_if(self.0.is_empty() && ctx.step() > 9, "none")
    }
}

::exo_rails::chain_requirements! {
    /// What each chain has.
    pub struct Company { require(plain on PreToolCall), first(provides on PreToolCall), before(plain, looks), last(looks on ToolError) }
}

::exo_rails::rail_chain! {
    #[chain(concurrent)]
    struct AtOnce { concurrent, concurrent_too, concurrent_window }
}

::exo_rails::rail_chain! {
    /// A chain that needs a value.
    #[::core::prelude::v1::derive(::core::fmt::Debug)]
    #[chain(needs = [Left], priority = 40 + 1)]
    pub struct Needing { provides_two, needs }
}

::exo_rails::rail_chain! {
    /// Of all kinds.
    #[chain(tools = Tools, trace, before(second, first))]
    pub struct Kinds {
        told, whole, dropped, changes, rewrites, rewrites_at_once, around, window, AtOnce,
        limit: Limit<u8>,
        #[rail(priority = 50 + 1)] first: Concrete,
        second: ::std::sync::Arc<Concrete>,
        third: ::core::option::Option<Concrete>,
        fourth: ::std::vec::Vec<Concrete>,
        #[cfg(any())] absent: Nowhere,
        #[cfg(all())] present: Concrete,
    }
}

::exo_rails::rail_chain! {
    /// With custom events.
    #[chain(events = [Tick, Recalled, Stepped, Aborts], operations = [Count], requirements = Company)]
    pub struct Guards {
        /// Each in its place.
        #[rail(priority = 11)] plain,
        looks, provides, custom, custom_part, custom_parts, counted, around_count, Needing,
        label: Label<'static, 2>,
    }
}

::exo_rails::rail_chain! {
    #[chain(onion, unique_priorities)]
    struct Onion { plain, around }
}

mod twice {
    #[::exo_rails::rail(on = [::exo_rails::events::PreToolCall])]
    fn plain() {}

    ::exo_rails::rail_chain! { pub(super) struct Onion { plain } }
}

async fn run(call: Permit<ToolCallInputs>) -> ::core::result::Result<ToolOutput, OperationError> {
    ::core::result::Result::Ok(ToolOutput::text(::std::format!("{}", call.arguments)))
}

fn kinds() -> Kinds {
    Kinds {
        limit: Limit { most: ::core::time::Duration::from_secs(1), window: 4, store: 1 },
        first: Concrete,
        second: ::std::sync::Arc::new(Concrete),
        third: ::core::option::Option::None,
        fourth: ::std::vec::Vec::new(),
        present: Concrete,
    }
}

pub(crate) fn main() -> ::core::result::Result<(), ::exo_rails::RunError> {
    ::tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(guarded())
}

async fn guarded() -> ::core::result::Result<(), ::exo_rails::RunError> {
    use ::exo_rails::{GuardSet, Guard, ToolArgs, ToolSet};

    let mut ctx = RunContext::new("none");
    let call = ToolCallInputs::new("delete_file");
    let output = kinds().guard_tool_call(call, &mut ctx, run).await?;
    ::std::println!("{}", output.content);
    let guards = Guards { label: Label(&[1, 2]) };
    let _ = guards.dispatch::<Recalled>(&mut Memories(1), &mut ctx).await;
    let _ = guards.guard_operation::<Count, _>(1, &mut ctx, count).await;
    let unnamed = ::exo_rails::rail_chain![plain, #[rail(priority = 3)] provides];
    ::std::println!("{unnamed:?}");
    let _ = unnamed.dispatch::<PreToolCall>(&mut ToolCallInputs::new("a"), &mut ctx).await;
    let _ = ::exo_rails::rail_chain![#[chain(events = [Tick, Recalled, Stepped])] custom].dispatch::<Tick>((), &mut ctx).await;
    let set = Tools { search: done(), delete_file: done() };
    ::std::println!("{} {:?} {}", Tools::NAME, Tools::NAMES, set.specs().len());
    let _ = (Onion, twice::Onion, NoTools {}, Guards::PLAN, Search::schema());
    ::core::result::Result::Ok(())
}

async fn count(inputs: Permit<u8>) -> ::core::result::Result<u16, OperationError> {
    ::core::result::Result::Ok(::core::convert::From::from(*inputs))
}

fn done<A: ::exo_rails::ToolArgs>() -> ToolFor<A> {
    A::tool(|_| async { ::core::result::Result::Ok::<_, OperationError>("done") })
}
