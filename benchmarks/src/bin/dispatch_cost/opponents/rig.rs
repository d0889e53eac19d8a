//! The hooks of an agent of `rig`. A tool call passes each hook before it is dispatched.
//!
//! Only a run makes the context of hooks. So each measurement is a run of an agent whose model asks for one tool. A hook
//! of the agent is called for that tool call. It dispatches the same event to a stack of hooks, as often as needed, and
//! measures only these dispatches. The figures contain no other part of the run.

use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use exo_rails::{HookPoint, RailContext, RunContext, ToolCallInputs};
use rig_agent::agent::{DispatchAction, DispatchEvent, HookStack, StepEventKind};
use rig_agent::core::message::ToolName;
use rig_agent::test_utils::{MockCompletionModel, MockTurn};
use rig_agent::tool::{DynamicTool, ToolOutput};
use rig_agent::{AgentBuilder, AgentHook, HookContext};
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::task::unconstrained;

use super::{Answer, Check, List, Visitor};
use crate::dispatch::block_on;
use crate::dispatch::hand_written::{Decision, Fault};
use crate::dispatch::variants::{Answer as _, Stopped};
use crate::measure::{Lab, Measured};

/// The tool that the model asks for.
const TOOL: &str = "search";

/// The inputs of the rails. The event has the name of the tool, and the arguments as text. Turning them into the types of
/// the rails would be most of the cost of a hook, so it happens once for each run.
struct Subject {
    call: ToolCallInputs,
    /// Rails that need the context lock it. A hook has its state behind a shared reference.
    ctx: tokio::sync::Mutex<RunContext>,
    /// The answer that stopped the event. A denial has room only for a text.
    stopped: Mutex<Option<Answer>>,
}

impl Subject {
    fn new(call: &ToolCallInputs, ctx: &RailContext) -> Arc<Self> {
        let mut ctx = ctx.child();
        ctx.enter(HookPoint::PreToolCall);
        Arc::new(Self { call: call.clone(), ctx: tokio::sync::Mutex::new(ctx), stopped: Mutex::default() })
    }

    #[cold]
    fn stop(&self, answer: Answer) -> DispatchAction {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        DispatchAction::stop("a rail stopped the event")
    }

    fn answer(&self) -> Answer {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner).take();
        stopped.unwrap_or_else(|| Err(Fault::new("rig", "a hook stopped the event without an answer of a rail")))
    }
}

/// The hook of a rail.
struct Hook<C> {
    subject: Arc<Subject>,
    rail: PhantomData<C>,
}

impl<C: Check> AgentHook for Hook<C> {
    fn observes(&self, kind: StepEventKind) -> bool {
        of_tool_calls(kind)
    }

    async fn on_dispatch(&self, _: &HookContext, _: DispatchEvent<'_>) -> DispatchAction {
        match C::check_shared(&self.subject.call, &self.subject.ctx).await {
            Ok(Decision::Continue) => DispatchAction::Proceed,
            answer => self.subject.stop(answer),
        }
    }
}

fn of_tool_calls(kind: StepEventKind) -> bool {
    matches!(kind, StepEventKind::ToolDispatch)
}

/// A stack with a hook for each rail.
struct Hooks {
    subject: Arc<Subject>,
    stack: HookStack,
}

impl Hooks {
    fn of<L: List>(subject: Arc<Subject>) -> HookStack {
        let mut hooks = Self { subject, stack: HookStack::new() };
        L::show(&mut hooks);
        hooks.stack
    }
}

impl Visitor for Hooks {
    fn rail<C: Check>(&mut self) {
        self.stack.push(Hook::<C> { subject: Arc::clone(&self.subject), rail: PhantomData });
    }
}

/// The hook that measures the other hooks.
struct Probe<J, T> {
    stack: HookStack,
    job: J,
    results: mpsc::Sender<T>,
}

impl<J, T: Send> AgentHook for Probe<J, T>
where
    J: Fn(&HookStack, &HookContext, DispatchEvent<'_>) -> T + Send + Sync,
{
    fn observes(&self, kind: StepEventKind) -> bool {
        of_tool_calls(kind)
    }

    async fn on_dispatch(&self, ctx: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        match self.results.send((self.job)(&self.stack, ctx, event)) {
            Ok(()) => DispatchAction::Proceed,
            Err(_) => DispatchAction::stop("the measurement needs no result"),
        }
    }
}

/// The rails as hooks of an agent.
pub(crate) struct Rig<L>(PhantomData<L>);

impl<L: List> Rig<L> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }

    /// Does the job in a run, when a tool call is dispatched. Returns `None` if no tool call is dispatched.
    fn in_a_run<T, J>(runtime: &Runtime, subject: Arc<Subject>, job: J) -> Option<T>
    where
        T: Send + 'static,
        J: Fn(&HookStack, &HookContext, DispatchEvent<'_>) -> T + Send + Sync + 'static,
    {
        let (results, result) = mpsc::channel();
        let model = MockCompletionModel::from_turns([
            MockTurn::tool_call("call_1", TOOL, json!({ "limit": 10 })),
            MockTurn::text("done"),
        ]);
        let tool = DynamicTool::new(ToolName::new(TOOL).ok()?, "does nothing", json!({ "type": "object" }), |_| {
            Box::pin(async { Ok(ToolOutput::text("")) })
        });
        let agent = AgentBuilder::new(model).dynamic_tool(tool);
        let agent = agent.add_hook(Probe { stack: Hooks::of::<L>(subject), job, results }).build();
        // tokio makes a task yield after a number of locks, and here one poll takes them all.
        runtime.block_on(unconstrained(agent.prompt("go").max_turns(3).run())).ok()?;
        result.try_recv().ok()
    }
}

impl<L: List> Measured for Rig<L> {
    fn time(&self, lab: &mut Lab, times: u64) -> Duration {
        let subject = Subject::new(&lab.call, &lab.ctx);
        let time = Self::in_a_run(&lab.runtime, subject, move |stack, ctx, event| {
            let start = Instant::now();
            block_on(dispatches(stack, ctx, event, times));
            start.elapsed()
        });
        // The time is `None` only if the run failed. A check before the measurement reports such a failure.
        time.unwrap_or(Duration::MAX)
    }

    fn time_on_runtime(&self, lab: &mut Lab, times: u64) -> Duration {
        self.time(lab, times)
    }

    fn allocations(&self, lab: &mut Lab) -> u64 {
        let subject = Subject::new(&lab.call, &lab.ctx);
        let count = Self::in_a_run(&lab.runtime, subject, |stack, ctx, event| {
            let dispatch = || drop(black_box(block_on(stack.on_dispatch(ctx, event))));
            allocation_counter::measure(dispatch).count_total
        });
        count.unwrap_or(u64::MAX)
    }

    fn future_bytes(&self, lab: &mut Lab) -> usize {
        let subject = Subject::new(&lab.call, &lab.ctx);
        let size = |stack: &HookStack, ctx: &HookContext, event: DispatchEvent<'_>| {
            size_of_val(&stack.on_dispatch(ctx, event))
        };
        Self::in_a_run(&lab.runtime, subject, size).unwrap_or(usize::MAX)
    }

    fn stopped(&self, runtime: &Runtime, call: &mut ToolCallInputs, ctx: &mut RunContext) -> Option<Stopped> {
        let subject = Subject::new(call, ctx);
        let answer =
            Self::in_a_run(runtime, Arc::clone(&subject), |stack, ctx, event| block_on(stack.on_dispatch(ctx, event)));
        let answer: Answer = match answer {
            Some(DispatchAction::Proceed) => Ok(Decision::Continue),
            Some(_) => subject.answer(),
            None => Err(Fault::new("rig", "the run dispatched no tool call")),
        };
        answer.stopped()
    }
}

/// Dispatches the same event `times` times, and stops if a rail stops it.
async fn dispatches(stack: &HookStack, ctx: &HookContext, event: DispatchEvent<'_>, times: u64) {
    for _ in 0..times {
        let action = black_box(stack).on_dispatch(black_box(ctx), black_box(event)).await;
        if !matches!(black_box(action), DispatchAction::Proceed) {
            break;
        }
    }
}
