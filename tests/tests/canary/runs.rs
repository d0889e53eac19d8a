//! Runs of an agent, and of an own loop, in each guard set.

use std::num::NonZeroUsize;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{
    CancellationToken, DynGuardSet, EventBus, LiveRails, Serves, ServesOperation, Subscription, WithEvents,
};
use exo_rails_agent::{Agent, FailedRun, IntoRun, Session, SuspendedRun};
use futures_util::FutureExt;
use tokio::task::unconstrained;

use crate::plan::{Mode, Plan};
use crate::rails::{Around, Canary, Traced};
use crate::sinks::Sinks;
use crate::world::{Document, Handle, Note, Noted, StoreDocument, World};

/// Plays the run in its guard set.
pub(crate) async fn play(plan: &Arc<Plan>, sinks: &Arc<Sinks>) {
    let world = World::of(plan, sinks);
    let rails = Canary::of(plan);
    match plan.set {
        0 => both(rails, &world).await,
        1 => both(Traced::of(plan), &world).await,
        2 => {
            let mut manager = RailManager::new();
            manager.add(rails).unwrap();
            both(manager, &world).await;
        }
        3 => {
            let mut hooks = HookManager::new();
            rails.register(&mut hooks);
            both(hooks, &world).await;
        }
        4 => in_an_agent(DynGuardSet::new(rails), &world).await,
        5 => {
            let live = LiveRails::new();
            live.attach(rails).unwrap();
            in_an_agent(live, &world).await;
        }
        _ => both(Around::of(plan), &world).await,
    }
}

async fn both<R>(rails: R, world: &Arc<World>)
where
    R: GuardSet + ServesOperation<StoreDocument> + Serves<Noted> + 'static,
{
    if world.plan.random(3).permille(300) {
        in_an_own_loop(rails, world).await;
    } else {
        in_an_agent(rails, world).await;
    }
}

/// What the bus has published.
fn take_records(records: &mut Subscription, world: &World) {
    // Tokio stops a task that receives much at once.
    while let Some(Some(Ok(record))) = unconstrained(records.recv()).now_or_never() {
        world.sinks.add("bus", format!("{}\n{record:?}", serde_json::to_string(&*record).unwrap()));
    }
}

fn context(plan: &Plan) -> RunContext {
    let mut ctx = RunContext::new("canary");
    if let Some(millis) = plan.cancelled_after {
        let token = CancellationToken::new();
        ctx = ctx.with_cancellation(token.clone());
        if millis < 5 {
            token.cancel();
        } else {
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(u64::from(millis))).await;
                token.cancel();
            });
        }
    }
    ctx
}

async fn in_an_agent(rails: impl GuardSet + 'static, world: &Arc<World>) {
    in_a_session(DynGuardSet::new(rails), world).await;
}

async fn in_a_session(rails: DynGuardSet, world: &Arc<World>) {
    let plan = &world.plan;
    let bus = EventBus::new(4096);
    let mut records = bus.subscribe();
    let agent = Agent::builder("canary", Handle(Arc::clone(world)))
        .rails(bus.wrap(rails))
        .tools(world.tools())
        .parallel_tools(NonZeroUsize::new(plan.parallel_tools as usize).unwrap())
        .max_steps(4)
        .memory(Handle(Arc::clone(world)))
        .ignore_memory_failures()
        .checkpoints(Handle(Arc::clone(world)))
        .build();
    if let Ok(mut session) = Session::start(&agent, "s-1").await {
        for _ in 0..2 {
            turn(&mut session, world).await;
            let (messages, saved) = (session.messages(), session.save());
            world.sinks.add("session", format!("{messages:?}\n{}", serde_json::to_string(&saved).unwrap()));
        }
        session.end().await;
    }
    take_records(&mut records, world);
}

type AgentSession<'a> = Session<&'a Agent<Handle, WithEvents<DynGuardSet>>>;

/// One run of a session, and how it goes on where a rail suspends it.
async fn turn(session: &mut AgentSession<'_>, world: &Arc<World>) {
    let mut suspended = run(session, world.input(), world).await;
    for _ in 0..3 {
        let Some(mut waiting) = suspended else { return };
        let ids: Vec<_> = waiting.questions().map(|open| open.question.id()).collect();
        for id in ids {
            waiting.answer(&id, true).unwrap();
        }
        suspended = run(session, waiting, world).await;
    }
}

async fn run(session: &mut AgentSession<'_>, start: impl IntoRun, world: &Arc<World>) -> Option<SuspendedRun> {
    let mut ctx = context(&world.plan);
    let failed = match world.plan.mode {
        Mode::Called => {
            let limit = world.plan.dropped_after.map_or(Duration::MAX, |millis| Duration::from_millis(millis.into()));
            match tokio::time::timeout(limit, session.run_in(start, &mut ctx)).await.ok()? {
                Ok(output) => {
                    world.sinks.add("output", format!("{output:?}"));
                    return None;
                }
                Err(failed) => failed,
            }
        }
        Mode::Streamed => {
            let mut events = session.stream_in(start, &mut ctx);
            let mut left = world.plan.dropped_after.unwrap_or(u32::MAX);
            loop {
                match events.next().await? {
                    Ok(event) => world.sinks.add("events", format!("{event:?}")),
                    Err(failed) => break failed,
                }
                left = left.checked_sub(1)?;
            }
        }
    };
    failed_with(&failed, world);
    session.keep(&failed);
    failed.suspended.map(|run| *run)
}

fn failed_with(failed: &FailedRun, world: &World) {
    world.sinks.add_error(failed);
    world.sinks.add("error", format!("{failed}\n{failed:?}"));
    let so_far = serde_json::to_string(&failed.so_far).unwrap();
    world.sinks.add("messages of a failed run", so_far);
    if let Some(run) = &failed.suspended {
        world.sinks.add("saved run", format!("{}\n{run:?}", serde_json::to_string(run).unwrap()));
    }
}

/// A loop without an agent: a run with a tool call, a custom operation and a custom event. The arguments come from somebody whom
/// no rail has seen.
async fn in_an_own_loop<R>(rails: R, world: &Arc<World>)
where
    R: GuardSet + ServesOperation<StoreDocument> + Serves<Noted>,
{
    let bus = EventBus::new(4096);
    let mut records = bus.subscribe();
    let rails = bus.wrap(rails);
    let mut ctx = context(&world.plan);
    // The same context again: what has passed once has not passed for ever.
    for _ in 0..3 {
        let result = rails.guard_run(world.input(), &mut ctx, |run| steps(run, &rails, world)).await;
        match result {
            Ok(output) => world.sinks.add("output", format!("{output:?}")),
            Err(error) => world.sinks.add_error(&error),
        }
    }
    take_records(&mut records, world);
}

async fn steps<R>(run: Permit<InvokeInputs>, rails: &R, world: &Arc<World>) -> Result<InvokeOutput, RunError>
where
    R: GuardSet + ServesOperation<StoreDocument> + Serves<Noted>,
{
    let (mut ctx, tools, mut outputs) = (run.context(), world.tools(), String::new());
    for number in 0..3 {
        let mut random = world.random();
        let arguments = world.arguments(&mut random);
        let call = ToolCallInputs { id: format!("call-{number}"), ..ToolCallInputs::new("login") };
        let call = call.with_arguments(arguments);
        let tool = |call| {
            let tool = AssertUnwindSafe(Tool::call_named(&tools, call)).catch_unwind();
            async { tool.await.unwrap_or_else(|_| Err("the tool panicked".into())) }
        };
        let output = rails.guard_tool_call(call, &mut ctx, tool).await?;
        outputs += &output.content;
        world.sinks.add("output", format!("{output:?}"));
        let secret = world.plan.secrets.of("custom inputs");
        let document = Document(format!("about {secret}"));
        match rails.guard_operation::<StoreDocument, _>(document, &mut ctx, |document| world.store(document)).await {
            Ok(receipt) => world.sinks.add("output", format!("{receipt:?}")),
            Err(error) => world.sinks.add_error(&error),
        }
        match rails.dispatch::<Noted>(&mut Note(secret.to_owned()), &mut ctx.child()).await {
            Ok(decision) => world.sinks.add("output", format!("{decision:?}")),
            Err(fault) => world.sinks.add_error(&fault.into()),
        }
    }
    Ok(InvokeOutput::text(outputs))
}
