//! The hook points of a platform, declared as events: each is served by a chain, by a manager of rails and by one of
//! hooks, with its payload.

use exo_rails::message::ToolSpec;
use exo_rails::platform::{self, *};
use exo_rails::prelude::*;
use exo_rails::{Allows, RunOn};
use serde_json::json;
use tests::{note, take_notes};

/// What the table says of an event, and what the event says of itself.
type About = (HookPoint, Allows, bool);

/// What is seen of an event: its name at run time, and who was called with what.
type Seen = (&'static str, Vec<String>);

/// The table: event, method, payload as the caller lends it, parts as rails take them, what rails may decide, and whether
/// it is told afterwards.
///
/// It makes a rail with a method for each event, one that is on all of them, a chain of both, and the walks.
macro_rules! points {
    ($($event:ident $method:ident($($lent:expr),+) ($($part:ident: $ty:ty),+) $allows:ident $after:literal,)*) => {
        struct Typed;

        #[rail(priority = 10)]
        impl Typed {
            $(
                #[on($event)]
                fn $method(&self, $($part: $ty,)+ ctx: &RailContext) {
                    note(ctx, format!("{} {:?}", ctx.event(), ($(&*$part,)+)));
                }
            )*
        }

        #[rail(priority = 20, on = [$($event),*])]
        fn of_all(inputs: Inputs<'_>, ctx: &RailContext) {
            note(ctx, format!("{inputs:?}"));
        }

        rail_chain! {
            #[chain(events = [$($event),*], onion)]
            struct PlatformRails { of_all, typed: Typed }
        }

        fn table() -> Vec<About> {
            vec![$(($event::POINT, Allows::$allows, $after)),*]
        }

        fn declared() -> Vec<About> {
            vec![$(($event::POINT, $event::ALLOWS, $event::POINT.is_after())),*]
        }

        /// Runs every event once.
        async fn walk<R: Rails $(+ RunOn<$event>)*>(rails: &R) -> Vec<Seen> {
            let mut ctx = RailContext::new("platform");
            let mut seen = Vec::new();
            $({
                let decision = rails.run::<$event>(($($lent),+), &mut ctx).await;
                assert!(decision.is_ok_and(|decision| decision.is_continue()), "{}", $event::POINT);
                seen.push(($event::POINT.name(), take_notes(&ctx)));
            })*
            seen
        }
    };
}

points! {
    PreLlmRequest pre_llm(&mut ModelCallInputs::default()) (call: &mut ModelCallInputs) Retry false,
    PostLlmResponse post_llm(&ModelCallInputs::default(), &mut ModelResponse::text("tea"))
        (call: &ModelCallInputs, response: &mut ModelResponse) Retry true,
    PreToolExecute pre_tool(&mut ToolCallInputs::new("brew")) (call: &mut ToolCallInputs) Retry false,
    PostToolExecute post_tool(&ToolCallInputs::new("brew"), &mut ToolOutput::text("tea"))
        (call: &ToolCallInputs, output: &mut ToolOutput) Retry true,
    MemoryStored stored(&memory()) (memory: &Memory) Nothing true,
    MemoryRecalled recalled(&MemoryQuery::new("drinks"), &mut Recollection { memories: vec![memory()] })
        (query: &MemoryQuery, found: &mut Recollection) Skip true,
    SessionCreated created(&SessionInfo::new("s")) (session: &SessionInfo) Abort false,
    SessionClosed closed(&SessionInfo::new("s")) (session: &SessionInfo) Nothing true,
    PreContextCompaction pre_compaction(&mut CompactionInputs::default()) (history: &mut CompactionInputs) Skip false,
    PostContextCompaction post_compaction(&CompactionInputs::default(), &CompactionOutput::default())
        (history: &CompactionInputs, shorter: &CompactionOutput) Nothing true,
    WorkflowStarted started(&Workflow::new("1", "tea")) (workflow: &Workflow) Abort false,
    WorkflowCompleted completed(&Workflow::new("1", "tea"), &WorkflowOutcome::default())
        (workflow: &Workflow, outcome: &WorkflowOutcome) Nothing true,
    AgentLoopStart loop_start(&mut InvokeInputs::new("tea?")) (run: &mut InvokeInputs) Retry false,
    AgentLoopEnd loop_end(&InvokeInputs::new("tea?"), &mut InvokeOutput::text("tea"))
        (run: &InvokeInputs, output: &mut InvokeOutput) Retry true,
    PrePipelineStep pre_step(&mut PipelineStep::new("tea", "brew", 1)) (step: &mut PipelineStep) Retry false,
    PostPipelineStep post_step(&PipelineStep::new("tea", "brew", 1), &mut StepOutput::default())
        (step: &PipelineStep, output: &mut StepOutput) Retry true,
    ToolGapDetected tool_gap(&ToolGap::new("brew")) (gap: &ToolGap) Skip false,
    ToolGapResolved tool_found(&ToolGap::new("brew"), &mut ToolGapResolution::new(spec()))
        (gap: &ToolGap, tool: &mut ToolGapResolution) Abort true,
    AgentGapDetected agent_gap(&AgentGap::new("brewing", "tea")) (gap: &AgentGap) Skip false,
    AgentGapResolved agent_found(&AgentGap::new("brewing", "tea"), &mut AgentGapResolution::default())
        (gap: &AgentGap, agent: &mut AgentGapResolution) Abort true,
    DynamicAgentCreated agent(&mut DynamicAgent::new("a", "brew")) (agent: &mut DynamicAgent) Abort false,
    DynamicAgentDeactivated gone(&DynamicAgent::new("a", "brew")) (agent: &DynamicAgent) Nothing true,
    ContextOverflow overflow(&ContextUse { tokens: 9, window: 8, ..ContextUse::default() }) (used: &ContextUse) Abort false,
    PostSkillInjection skills(&mut SkillInjection::default()) (injected: &mut SkillInjection) Abort true,
}

fn memory() -> Memory {
    Memory::new("1", "likes tea")
}

fn spec() -> ToolSpec {
    ToolSpec::new("brew", "Makes tea.", json!({ "type": "object" }))
}

/// The names of the set that the points are of, in snake case.
const NAMES: [&str; 24] = [
    "pre_llm_call",
    "post_llm_call",
    "pre_tool_execute",
    "post_tool_execute",
    "memory_stored",
    "memory_recalled",
    "session_created",
    "session_closed",
    "pre_compaction",
    "post_compaction",
    "workflow_started",
    "workflow_completed",
    "agent_loop_start",
    "agent_loop_end",
    "pre_pipeline_step",
    "post_pipeline_step",
    "tool_gap_detected",
    "tool_gap_resolved",
    "agent_gap_detected",
    "agent_gap_resolved",
    "dynamic_agent_created",
    "dynamic_agent_deactivated",
    "context_overflow",
    "post_skill_injection",
];

#[test]
fn the_set_is_declared_as_the_table_says() {
    assert_eq!(declared(), table());
    assert_eq!(platform::ALL.to_vec(), table().into_iter().map(|(point, ..)| point).collect::<Vec<_>>());
    assert_eq!(platform::ALL.map(HookPoint::name), NAMES.map(|name| format!("platform.{name}")));
    let taken: Vec<_> = HookPoint::ALL.iter().filter(|point| platform::ALL.contains(point)).collect();
    assert!(taken.is_empty(), "the lifecycle has names of its own: {taken:?}");
}

/// The rail with types first, where the event comes before what it tells of; in the onion last, where it comes after.
fn expected_of(seen: &Seen, point: HookPoint, reversed: bool) {
    let (name, calls) = seen;
    assert_eq!(*name, point.name());
    assert_eq!(calls.len(), 2, "{name}: {calls:?}");
    let [typed, all] = if reversed { [1, 0] } else { [0, 1] };
    let parts = calls[typed].strip_prefix(name).and_then(|rest| rest.strip_prefix(" (")).unwrap_or_default();
    assert_eq!(calls[all], format!("Own({name}({})", parts.replace(",)", ")")), "{name}");
}

#[tokio::test]
async fn a_chain_serves_them_all() {
    let rails = PlatformRails { typed: Typed };
    let seen = walk(&rails).await;
    assert_eq!(seen.len(), platform::ALL.len());
    for (seen, (point, _, after)) in seen.iter().zip(table()) {
        expected_of(seen, point, after);
    }
    let planned: Vec<_> = PlatformRails::PLAN.events.iter().map(|plan| (plan.event, plan.reversed)).collect();
    assert_eq!(planned, table().into_iter().map(|(point, _, after)| (point, after)).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_manager_of_rails_serves_them_all() {
    let mut manager = RailManager::new();
    assert!(manager.add(of_all {}).is_ok() && manager.add(Typed).is_ok());
    for (seen, point) in walk(&manager).await.iter().zip(platform::ALL) {
        expected_of(seen, point, false);
    }
    let chain = walk(&PlatformRails { typed: Typed }).await;
    let mut chains = RailManager::new();
    assert!(chains.add(PlatformRails { typed: Typed }).is_ok());
    assert_eq!(walk(&chains).await, chain);
}

async fn plain(inputs: Inputs<'_>, ctx: &mut RailContext) {
    note(ctx, format!("{inputs:?}"));
}

#[tokio::test]
async fn a_manager_of_hooks_serves_them_all() {
    let mut hooks = HookManager::new();
    for point in platform::ALL {
        hooks.add(point, plain);
    }
    PlatformRails { typed: Typed }.register(&mut hooks);
    let chain = walk(&PlatformRails { typed: Typed }).await;
    for ((name, calls), (chained, in_chain)) in walk(&hooks).await.into_iter().zip(chain) {
        assert_eq!(name, chained);
        assert!(calls[0].starts_with(&format!("Own({name}(")), "{calls:?}");
        assert_eq!(calls[1..], in_chain, "{name}");
    }
}

#[test]
fn payloads_are_data() {
    let text = json!({ "id": "1", "text": "likes tea", "tags": ["drinks"], "source": "chat" });
    let memory: Memory = serde_json::from_value(text.clone()).unwrap_or_default();
    assert_eq!(memory.extra["source"], "chat");
    assert_eq!(serde_json::to_value(memory).ok(), Some(text));
    let gap = ToolGapResolution::new(spec());
    let read = serde_json::to_value(&gap).and_then(serde_json::from_value);
    assert!(read.is_ok_and(|read: ToolGapResolution| read == gap));
}
