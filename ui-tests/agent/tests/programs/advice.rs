//! What messages propose, word for word where it can be: `tests/advice.rs` looks here for the code in each message.

#![deny(warnings)]
#![allow(dead_code, clippy::all, reason = "what is proposed is shown, and not used")]

use exo_rails::prelude::*;
use exo_rails::{
    CompactionOutput, HookManager, IntoFailure, NoRails, NoRetry, NoSubstitute, Provide, RailManager,
    chain_requirements, tools,
};
use exo_rails_agent::{Agent, Model, ScriptedModel};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Clone, Debug, Provided)]
pub struct RateLimitLeft(pub u32);

#[derive(Clone, Debug, Provided)]
pub struct Caller(pub String);

mod rails {
    use std::sync::Mutex;

    use exo_rails::Next;
    use exo_rails::operations::ToolCall;

    use super::*;

    #[rail(on = [PreToolCall])]
    pub fn my_rail() {}

    #[rail(on = [PreToolCall])]
    pub fn block_dangerous(call: &mut ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "drop_table", "off limits")
    }

    #[rail(on = [PreToolCall])]
    pub fn permission_check() {}

    #[rail(name = "my_rail", on = [PreToolCall, PostToolCall])]
    pub fn audit_log() {}

    #[rail(on = [PreToolCall], concurrent)]
    pub fn beside_others() {}

    #[rail(on = [PreToolCall], around)]
    pub async fn limit(call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        let _ = &call.tool_name;
        next.run().await
    }

    struct Timed;

    #[rail]
    impl Timed {
        #[on(PreToolCall, around)]
        async fn run(&self, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
            next.run().await
        }
    }

    #[rail(on = [Dropped])]
    pub fn dropped(ctx: &RailContext) {
        let _ = ctx.step();
    }

    #[rail(priority = 10, on = [PreToolCall, PostToolCall], crate = ::exo_rails)]
    pub async fn decides() -> RailAction {
        RailAction::skip("a reason")
    }

    #[rail(on = [LlmChunk], window = 64)]
    pub fn redact(window: &mut StreamWindow) {
        window.text.clear();
    }

    #[rail(on = [PostToolCall], after = [permission_check], before = [audit_log])]
    pub fn between() {}

    #[rail(on = [PreToolCall], timeout = "2s", on_panic = "fault", on_fault = "continue")]
    pub async fn limited() {}

    #[rail(on = [PreToolCall])]
    pub fn returns(call: &ToolCallInputs) -> RailAction {
        if call.tool_name == "shell" {
            return RailAction::abort("no shell");
        }
        RailAction::retry("it was empty")
    }

    #[rail(on = [PreToolCall])]
    pub fn retries(ctx: &RailContext) -> RailAction {
        let request = RetryRequest::new("busy").with_max_retries(3);
        if ctx.attempt() > 0 { RailAction::Continue } else { RailAction::retry(request) }
    }

    #[rail(on = [PreToolCall])]
    pub fn reasons(call: &ToolCallInputs) -> Verdict {
        let (text, limit, is_shell) = (&call.tool_name, 3, call.tool_name == "shell");
        match text.len() {
            0 => Verdict::abort(text.clone()),
            1 => Verdict::abort(text.to_string()),
            2 => Verdict::abort_if(is_shell, "no shell"),
            _ => Verdict::abort(format!("the limit is {limit}")),
        }
    }

    type E = String;

    #[rail(on = [events::Error])]
    pub fn observes(error: &RunError) -> Result<(), E> {
        Err(error.to_string())
    }

    #[rail(on = [Start])]
    pub fn may_fail() -> Result<RailAction<InvokeOutput>, E> {
        Err("not today".into())
    }

    #[rail(on = [PreLlmCall])]
    pub fn may_answer() -> Option<RailAction<ModelResponse>> {
        None
    }

    #[rail(on = [PreCompaction])]
    pub fn may_shorten() -> RailAction<CompactionOutput, NoRetry> {
        RailAction::Continue
    }

    #[rail(on = [Error, Start])]
    pub fn observes_both(ctx: &mut RailContext) {
        let _ = ctx.step();
    }

    pub struct MyRail;

    #[rail]
    impl MyRail {
        #[on(PreToolCall)]
        fn check(&self) {}
    }

    pub struct MyOther(Mutex<u32>);

    #[rail]
    impl MyOther {
        #[on(PreToolCall, PostToolCall)]
        async fn check(&self, call: &ToolCallInputs) {
            let _ = (&self.0, call);
        }

        #[on(Start)]
        fn before(&self) {}
    }

    pub mod with_state {
        use super::*;

        pub struct MyRail;

        #[rail]
        impl MyRail {
            #[on(PreToolCall)]
            async fn check(&self, call: &ToolCallInputs) {
                let _ = call;
            }
        }
    }

    pub mod generic {
        use exo_rails::prelude::{PreToolCall, ToolCallInputs, rail};

        pub struct Guard<T>(pub T);

        #[rail]
        impl<T: Send + Sync + 'static> Guard<T> {
            #[on(PreToolCall)]
            async fn check(&self, call: &ToolCallInputs) {
                let _ = (call, &self.0);
            }
        }
    }
}

mod custom_operations {
    use exo_rails::operations::ToolCall;
    use exo_rails::{Next, Operation, RetryOrContinue};

    use super::*;

    #[derive(Clone, Debug)]
    pub struct Document(pub String);

    #[derive(Operation)]
    #[operation(inputs = Document, output = String, pre = PreStoreDocument, post = PostStoreDocument, failed = StoreDocumentError)]
    pub struct StoreDocument;

    #[rail(on = [PreStoreDocument, PostStoreDocument, StoreDocumentError])]
    pub fn not_empty(document: &Document) -> Verdict {
        Verdict::abort_if(document.0.is_empty(), "it is empty")
    }

    pub fn unnamed() -> impl GuardSet {
        rail_chain![
            #[chain(operations = [StoreDocument])]
            not_empty
        ]
    }

    #[rail(on = [LlmError])]
    pub fn again() -> RailAction<NoSubstitute, RetryOrContinue> {
        RailAction::retry_or_continue("it was busy")
    }

    #[rail(on = [PreToolCall], around)]
    pub async fn observed(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        let _ = (next.scope(), next.attempt());
        next.run().await
    }
}

mod values {
    use super::*;

    type S = ToolOutput;

    #[rail(on = [PreToolCall], provides = [RateLimitLeft])]
    pub fn provider() -> RateLimitLeft {
        RateLimitLeft(3)
    }

    #[rail(on = [PreToolCall], provides = [RateLimitLeft])]
    pub fn stops() -> Provide<RateLimitLeft> {
        Provide::Value(RateLimitLeft(3))
    }

    #[rail(on = [PreToolCall], provides = [RateLimitLeft])]
    pub fn skips() -> Provide<RateLimitLeft, S> {
        Provide::Value(RateLimitLeft(3))
    }

    #[rail(on = [PreToolCall], provides = [RateLimitLeft, Caller])]
    pub fn both() -> (RateLimitLeft, Caller) {
        (RateLimitLeft(3), Caller("support".into()))
    }

    #[rail(on = [PreToolCall], provides = [RateLimitLeft, Caller])]
    pub fn both_or_stops() -> Provide<(RateLimitLeft, Caller)> {
        Provide::Value(both())
    }

    #[rail(on = [PreToolCall], provides = [RateLimitLeft, Caller])]
    pub fn both_or_skips() -> Provide<(RateLimitLeft, Caller), S> {
        Provide::Value(both())
    }

    #[rail(on = [PreToolCall], needs = [RateLimitLeft])]
    pub fn reader(left: &RateLimitLeft) {
        let _ = left.0;
    }

    #[rail(on = [PreToolCall], always)]
    pub fn observer(ctx: &RailContext) {
        let _ = (ctx.provided::<RateLimitLeft>(), ctx.provided::<Caller>());
    }
}

mod custom {
    use super::*;

    #[derive(Debug)]
    pub struct Query(pub String);

    #[derive(Debug, Default)]
    pub struct Memories(pub Vec<String>);

    #[derive(Event)]
    #[event(payload = (&Query, &mut Memories))]
    pub struct MemoriesRecalled;

    #[derive(Event)]
    pub struct Something;

    #[derive(Event)]
    #[event(allows = "abort")]
    pub struct Asked;

    #[derive(Event)]
    #[event(name = "my_event", payload = &mut Vec<u8>, allows = "skip")]
    pub struct Found;

    #[derive(Event)]
    #[event(payload = (&Box<dyn std::fmt::Debug + Send + Sync>, &String, &Vec<String>), allows = "retry")]
    pub struct Of;

    #[derive(Event)]
    #[event(payload = &mut Memories, allows = "skip", substitute = Memories)]
    pub struct MemoriesFound;

    #[rail(on = [MemoriesFound])]
    pub fn brings() -> RailAction<Memories, NoRetry> {
        RailAction::skip_with(Memories(Vec::new()), "a reason")
    }

    #[rail(on = [MemoriesRecalled])]
    pub fn privacy(query: &Query, memories: &Memories) {
        let _ = (&query.0, &memories.0);
    }

    #[rail(on = [Found])]
    pub fn skips() -> RailAction<NoSubstitute, NoRetry> {
        RailAction::skip("a reason")
    }

    rail_chain! {
        #[chain(events = [MemoriesRecalled])]
        pub struct Rails {
            privacy,
        }
    }

    pub fn unnamed() -> impl GuardSet {
        rail_chain![
            #[chain(events = [MemoriesRecalled])]
            privacy
        ]
    }
}

mod chains {
    use std::sync::Arc;

    use super::rails::*;
    use super::*;

    pub struct MemoryStore;

    pub struct RateLimit<S>(pub S);

    #[rail]
    impl<S: Send + Sync + 'static> RateLimit<S> {
        #[on(PreToolCall)]
        fn check(&self) {
            let _ = &self.0;
        }
    }

    rail_chain! { struct MyRails { block_dangerous, redact } }

    rail_chain! {
        #[chain(priority = 20)]
        struct Shared { limit: RateLimit<MemoryStore>, same: Arc<RateLimit<Arc<str>>>, perhaps: Option<MyRail> }
    }

    rail_chain! {
        #[chain(require(permission_check on PreToolCall), before(permission_check, audit_log))]
        struct Ordered { permission_check, audit_log }
    }

    chain_requirements! { struct MyRequirements { require(permission_check on PreToolCall) } }

    chain_requirements! { struct Company { require(permission_check on PreToolCall) } }

    chain_requirements! { struct Team { first(permission_check on PreToolCall) } }

    rail_chain! { #[chain(requirements = Company, requirements = Team)] struct Follows { permission_check } }

    fn follows() -> impl exo_rails::Meets<Company> {
        Follows
    }

    fn builds(model: impl Model) {
        let my_rails = Follows;
        let _ = Agent::builder("support", model).rails(my_rails).requires::<Company>().build();
    }

    fn gives_tools(model: impl Model, search: Tool, order: Tool) {
        let _ = Agent::builder("support", model).tools([search, order]).build();
    }

    fn gives_one_tool(model: impl Model, search: Tool) {
        let _ = Agent::builder("support", model).tool(search).build();
    }

    rail_chain! { #[chain(requirements = MyRequirements)] struct FollowsOne { permission_check } }

    mod named_like_a_rail {
        #![allow(non_camel_case_types)]

        use exo_rails::prelude::*;

        use super::{chain_requirements, permission_check};

        chain_requirements! { struct audit_log { require(permission_check on PreToolCall) } }
    }
}

mod operations {
    use super::rails::*;
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the index cannot be read")]
    struct Failure;

    struct Tools;

    impl Tools {
        async fn run(&self, call: Permit<ToolCallInputs>) -> Result<ToolOutput, Failure> {
            if call.tool_name.is_empty() { Err(Failure) } else { Ok(call.tool_name.clone().into()) }
        }
    }

    async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, Box<dyn std::error::Error + Send + Sync>> {
        Ok(ToolOutput::text(&call.tool_name))
    }

    /// Through the methods that the message names.
    async fn guarded<E>(
        rails: impl GuardSet + exo_rails::Serves<E>,
        call: ToolCallInputs,
    ) -> Result<ToolOutput, RunError>
    where
        E: Event,
        Failure: IntoFailure<OperationError>,
    {
        let mut ctx = RunContext::new("support");
        let tools = &Tools;
        let tool = |call| async move { tools.run(call).await };
        NoRails.guard_tool_call(call.clone(), &mut ctx, tool).await?;
        let run = async |run: Permit<InvokeInputs>| {
            let mut ctx = run.context();
            let answer = async |_: Permit<ModelCallInputs>| Ok::<_, String>("an answer");
            let answer = rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, answer).await?;
            Ok::<_, RunError>(answer.message.text().into_owned())
        };
        rails.guard_run("hello", &mut RunContext::new("support"), run).await?;
        let deltas = |_| futures_util::stream::empty::<Result<exo_rails::ModelDelta, String>>();
        rails.guard_stream(ModelCallInputs::default(), &mut ctx, deltas, async |_| ()).await?;
        let model = &ScriptedModel::from_file("script.json").expect("a script");
        let streamed = |request| model.stream(request);
        rails.guard_stream(ModelCallInputs::default(), &mut ctx, streamed, async |_| ()).await?;
        let compaction = async |_: Permit<_>| Ok::<_, String>(CompactionOutput::default());
        rails.guard_compaction(exo_rails::CompactionInputs::default(), &mut ctx, compaction).await?;
        let output = rails.guard_tool_call(call, &mut ctx, run_tool).await?;
        Ok(output)
    }

    async fn my_hook(inputs: Inputs<'_>, ctx: &mut RailContext) {
        let _ = (inputs.point(), ctx.step());
    }

    fn sets(model: ScriptedModel) {
        let (mut hooks, mut manager, chain) = (HookManager::new(), RailManager::new(), rail_chain![my_rail]);
        hooks.add(PreToolCall::POINT, my_hook);
        chain.register(&mut hooks);
        let _ = manager.add(block_dangerous {});
        let _ = manager.add_named("strict", block_dangerous {});
        let rails = NoRails;
        let _ = Agent::builder("support", model).rails(rails).build();
    }
}

mod with_tools {
    use exo_rails::schemars::{self, JsonSchema};

    use super::*;

    #[derive(Debug, Serialize, Deserialize, ToolArgs, JsonSchema)]
    #[tool(name = "search")]
    pub struct Search {
        query: String,
    }

    #[derive(Debug, Serialize, Deserialize, ToolArgs)]
    #[tool(name = "delete_file", schema = json!({ "type": "object" }), description = "Deletes a file.")]
    pub struct DeleteFile {
        path: String,
    }

    #[derive(Debug, Serialize, Deserialize, ToolArgs)]
    #[tool(name = "read_file", schema = json!({ "type": "object" }))]
    pub struct ReadFile {
        path: String,
    }

    tools! { struct MyTools { search: Search } }

    #[rail(on = [PreToolCall], tool = "delete_file")]
    pub fn careful(args: &Args<DeleteFile>) -> Verdict {
        Verdict::abort_if(args.path.is_empty(), "no path")
    }

    #[rail(on = [PostToolCall], always)]
    pub fn logs(call: &ToolCallInputs) {
        let _: Result<Args<DeleteFile>, _> = Args::of(call);
    }
}

mod models {
    use std::error::Error;
    use std::sync::Arc;

    use exo_rails_agent::Model;

    fn chosen(model: Box<dyn Model>) -> Result<Arc<dyn exo_rails_agent::Model>, Box<dyn Error>> {
        let by_name = <dyn Model>::from_spec("openai:gpt-4o")?;
        Ok(if by_name.model_name().is_some() { by_name.into() } else { model.into() })
    }
}

mod configured {
    use std::time::Duration;

    use exo_rails::{DynGuardSet, DynServes, Pattern};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(2);
    const LONGEST: usize = 64;

    #[rail(on = [LlmChunk], window = LONGEST, timeout = LIMIT)]
    async fn keys(window: &mut StreamWindow) {
        window.replace("sk-", "[key]");
    }

    #[derive(Event)]
    #[event(payload = &mut String)]
    pub struct DocumentStored;

    pub trait MyGuardSet: GuardSet + DynServes<DocumentStored> {}

    fn chosen(rails: DynGuardSet<dyn MyGuardSet>) -> DynGuardSet<dyn MyGuardSet> {
        rails
    }

    #[rail(on = [PreToolCall], needs = [RateLimitLeft])]
    fn warn(left: &RateLimitLeft) {
        let _ = left;
    }

    rail_chain! {
        #[chain(needs = [RateLimitLeft])]
        struct Warnings { warn }
    }

    fn patterns(letter: char, keys: regex::Regex) -> (impl Pattern, impl Pattern) {
        (letter, keys)
    }
}

mod surrounded {
    use std::time::Duration;

    use exo_rails::operations::{Compaction, LlmCall, Run, ToolCall};
    use exo_rails::{Chain, Next, Operation, WithoutAround};

    use super::*;

    #[rail(on = [PreToolCall], around)]
    async fn limit(call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        let limit = Duration::from_secs(2);
        match tokio::time::timeout(limit, next.run()).await {
            Ok(result) => result,
            Err(_) => Ok(ToolOutput::text(call.tool_name.clone())),
        }
    }

    #[rail(on = [PreLlmCall], around)]
    async fn ask(next: impl Next<LlmCall>) -> Result<ModelResponse, OperationError> {
        next.run().await
    }

    #[rail(on = [Start], around)]
    async fn run(run: &InvokeInputs, next: impl Next<Run>) -> Result<InvokeOutput, RunError> {
        let _ = run;
        next.run().await
    }

    #[rail(on = [PreCompaction], around)]
    async fn compact(next: impl Next<Compaction>) -> Result<CompactionOutput, OperationError> {
        next.run().await
    }

    fn registered<C: Chain<Around: WithoutAround> + GuardSet + 'static>(chain: C) {
        chain.register(&mut HookManager::new());
    }

    #[derive(Clone, Debug)]
    struct Document(String);

    #[derive(Debug)]
    struct Receipt(u64);

    #[derive(Operation)]
    #[operation(inputs = Document, output = Receipt)]
    struct StoreDocument;

    #[rail(on = [PreStoreDocument])]
    fn short(document: &mut Document) {
        document.0.truncate(9);
    }

    rail_chain! {
        #[chain(operations = [StoreDocument])]
        struct Guards { short }
    }
}

mod runs {
    use exo_rails_agent::{FailedRun, Model, SuspendedRun};

    use super::*;

    async fn begin(model: impl Model, number: u32, suspended: SuspendedRun) -> Result<(), FailedRun> {
        let agent = Agent::builder("support", model).build();
        agent.run("Where is my order?").await?;
        agent.run(format!("order {number}")).await?;
        agent.run(suspended).await?;
        Ok(())
    }
}

mod questions {
    use super::*;

    #[rail(on = [PreToolCall])]
    fn approval(ctx: &RailContext) -> RailAction {
        RailAction::suspend(ctx.question("approve the refund"))
    }
}

mod live {
    use exo_rails::LiveRails;
    use exo_rails_agent::Model;

    use super::*;

    fn build(model: impl Model) {
        let _ = Agent::builder("support", model).rails(LiveRails::new()).build();
    }
}

mod memories {
    use std::sync::Arc;

    use exo_rails::{MemoryEntry, MemoryItem, MemoryQuery};
    use exo_rails_agent::{InMemory, Memory, Model};

    use super::*;

    #[rail(on = [MemoryRecalled, ContextAssembled, ContextOverflow, MemoryStored, Suspended])]
    fn observe(ctx: &RailContext) {
        let _ = ctx.event();
    }

    async fn guarded(memory: InMemory, query: MemoryQuery, entry: MemoryEntry) -> Result<(), RunError> {
        let mut ctx = RunContext::new("demo");
        NoRails.guard_store(entry, &mut ctx, |entry| memory.store(entry)).await?;
        NoRails.guard_recall(query, &mut ctx, |query| memory.recall(query)).await.map(drop)
    }

    struct Notes;

    impl Memory for Notes {
        async fn recall(&self, query: Permit<MemoryQuery>) -> Result<Vec<MemoryItem>, OperationError> {
            let _ = query;
            Ok(Vec::new())
        }

        async fn store(&self, entry: Permit<MemoryEntry>) -> Result<(), OperationError> {
            let _ = entry;
            Ok(())
        }
    }

    fn build(model: impl Model, other: impl Model) {
        let _ = Agent::builder("support", model).memory(Arc::new(Notes)).build();
        let _ = Agent::builder("support", other).memory(InMemory::shared(100)).build();
    }
}

mod functions {
    use exo_rails::{ModelDelta, StreamPiece};
    use futures_util::stream;

    use super::*;

    #[derive(Serialize)]
    struct Stock {
        left: u32,
    }

    fn read(ctx: &RailContext) -> bool {
        ctx.extra.get::<RateLimitLeft>().is_some()
    }

    async fn guarded(rails: &impl GuardSet, ctx: &mut RunContext) -> Result<(), RunError> {
        let value = Stock { left: 3 };
        let call = ToolCallInputs::new("stock");
        rails
            .guard_tool_call(call, ctx, async |call| {
                println!("{}", call.tool_name);
                Ok::<_, OperationError>(ToolOutput::json(&value)?)
            })
            .await?;
        let model = |_| stream::empty::<Result<ModelDelta, OperationError>>();
        let show = async |piece: StreamPiece| println!("{piece:?}");
        rails.guard_stream(ModelCallInputs::default(), ctx, model, show).await?;
        let agent = async |_run| Ok::<_, RunError>("at the door");
        rails.guard_run("Where is my order?", ctx, agent).await?;
        let _: RailAction<ToolOutput> = RailAction::skip_with(ToolOutput::text("noon"), "it is known");
        let kind = async |_call| Err::<ToolOutput, _>("no").map_err(OperationError::from);
        rails.guard_tool_call(ToolCallInputs::new("stock"), ctx, kind).await.map(drop)
    }
}

mod listed {
    use super::*;

    #[derive(Debug)]
    pub struct ContentFilter;

    #[rail(priority = 20)]
    impl ContentFilter {
        #[on(PreToolCall)]
        fn check(&self) {}
    }

    rail_chain! { struct Rails { content_filter: ContentFilter } }

    rail_chain! { struct OptionalRails { content_filter: Option<ContentFilter> } }
}

#[test]
fn compiles_and_runs() {
    let _ = rail_chain![rails::my_rail];
}
