//! Answers to the questions of rails: each is valid for one operation.

use std::borrow::Cow;
use std::future::pending;
use std::sync::Mutex;

use exo_rails::prelude::*;
use exo_rails::{KeptValues, OpenQuestion, Operation, Question, SavedContext};
use futures_util::FutureExt;
use proptest::prelude::*;
use serde_json::json;
use tests::{GuardDyn, rails};

fn ask(ctx: &RailContext, call: &ToolCallInputs) -> Result<RailAction, serde_json::Error> {
    let question = ctx.question("may this happen?").with_data(&call.arguments);
    Ok(match ctx.answer_to(&question)? {
        None => RailAction::suspend(question),
        Some(true) => RailAction::Continue,
        Some(false) => RailAction::skip("refused"),
    })
}

#[rail(priority = 20, on = [PreToolCall])]
fn approval(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    ask(ctx, call)
}

/// A second rail that reads the same answer.
#[rail(priority = 30, on = [PreToolCall])]
fn second_reader(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    ask(ctx, call)
}

#[rail(priority = 20, on = [PostToolCall])]
fn approve_output(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    if call.arguments["asks_after"] == true { ask(ctx, call) } else { Ok(RailAction::Continue) }
}

#[rail(priority = 30, on = [PostToolCall, ToolError])]
fn again(call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
    if u64::from(ctx.attempt()) < call.arguments["retries"].as_u64().unwrap_or(0) {
        return RailAction::retry(RetryRequest::new("once more").with_max_retries(9));
    }
    RailAction::Continue
}

rail_chain! { struct Desk { approval, second_reader, approve_output, again } }

async fn refund(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    if call.arguments["fails"] == true { Err("the bank is closed".into()) } else { Ok(ToolOutput::text("paid")) }
}

/// How a program makes one call, again until no question is open.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each combination is a case")]
struct Made {
    retries: u32,
    asks_after: bool,
    fails: bool,
    /// The answer of the person.
    approves: bool,
    /// In a child of the context.
    in_child: bool,
    /// The program saves and restores the context before each answer.
    in_another_program: bool,
}

fn made() -> impl Strategy<Value = Made> {
    (0_u32..3, any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(retries, asks_after, fails, approves, in_child, in_another_program)| Made {
            retries,
            asks_after,
            fails,
            approves,
            in_child,
            in_another_program,
        },
    )
}

fn moved(ctx: &RunContext) -> RunContext {
    let saved = serde_json::to_string(&ctx.save(&KeptValues::new()).unwrap()).unwrap();
    let mut ctx = RunContext::new("desk");
    ctx.restore(serde_json::from_str::<SavedContext>(&saved).unwrap(), &KeptValues::new()).unwrap();
    ctx
}

/// Makes a call and answers each question. Returns the events that asked.
async fn make(made: &Made, ctx: &mut RunContext) -> Vec<Cow<'static, str>> {
    let arguments = json!({ "retries": made.retries, "asks_after": made.asks_after, "fails": made.fails });
    let mut asked = Vec::new();
    loop {
        let call = ToolCallInputs::new("refund").with_arguments(arguments.clone());
        let result = if made.in_child {
            Desk.guard_tool_call(call, &mut ctx.child(), refund).await
        } else {
            Desk.guard_tool_call(call, ctx, refund).await
        };
        let question = match &result {
            Err(error) => error.suspension().map(|suspension| suspension.question.clone()),
            Ok(_) => None,
        };
        let Some(question) = question else { return asked };
        assert!(asked.len() < 9, "the rails ask for ever: {made:?}");
        asked.push(question.event.clone());
        if made.in_another_program {
            *ctx = moved(ctx);
        }
        ctx.answer(question, made.approves);
        if made.in_another_program {
            *ctx = moved(ctx);
        }
    }
}

proptest! {
    /// Each operation asks each of its questions once: not again after a retry, or when the run is resumed. An equal
    /// operation after it asks again.
    #[test]
    fn each_operation_asks_each_question_once(calls in prop::collection::vec(made(), 1..4), times in 1_usize..4, moves: bool) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let mut ctx = RunContext::new("desk");
            for _ in 0..times {
                for made in &calls {
                    let mut expected = vec![HookPoint::PreToolCall.name()];
                    if made.asks_after {
                        expected.push(HookPoint::PostToolCall.name());
                    }
                    assert_eq!(make(made, &mut ctx).await, expected, "{made:?}");
                    if moves {
                        ctx = moved(&ctx);
                    }
                }
            }
            assert!(ctx.save(&KeptValues::new()).unwrap().answers.is_empty(), "all answers are used up");
        });
    }
}

async fn question_of(call: ToolCallInputs, ctx: &mut RunContext) -> Option<Question> {
    let error = Desk.guard_tool_call(call, ctx, refund).await.err()?;
    Some(error.suspension().unwrap().question.clone())
}

#[tokio::test]
async fn a_dropped_operation_uses_its_answers_up() {
    let call = || ToolCallInputs::new("refund");
    let mut ctx = RunContext::new("desk");
    let question = question_of(call(), &mut ctx).await.unwrap();
    ctx.answer(question.clone(), true);
    let hangs = async |_: Permit<ToolCallInputs>| pending::<Result<ToolOutput, OperationError>>().await;
    assert!(Desk.guard_tool_call(call(), &mut ctx, hangs).now_or_never().is_none());
    let mut other = moved(&ctx);
    assert_eq!(question_of(call(), &mut other).await, Some(question.clone()), "in another program");
    assert_eq!(question_of(call(), &mut ctx.child()).await, Some(question.clone()), "in a child");
    assert_eq!(question_of(call(), &mut ctx).await, Some(question), "in the same context");
}

#[tokio::test]
async fn the_calls_of_a_step_have_their_own_answers() {
    let call = || ToolCallInputs::new("refund");
    let ctx = RunContext::new("desk");
    let children = || [0, 1].map(|number| ctx.child().with_call_number(number));
    let mut questions = Vec::new();
    for mut child in children() {
        questions.extend(question_of(call(), &mut child).await);
    }
    assert_ne!(questions[0], questions[1]);
    ctx.answer(questions[1].clone(), true);
    let [mut first, mut second] = children();
    assert_eq!(question_of(call(), &mut second).await, None);
    assert_eq!(question_of(call(), &mut first).await, Some(questions[0].clone()));
    assert_eq!(question_of(call(), &mut second).await, Some(questions[1].clone()), "its answer is used up");
}

/// A program may save a run in the middle of an operation, because the process may end there. The operation has the answer
/// when it is repeated.
#[tokio::test]
async fn a_running_operation_is_saved_with_its_answers() {
    let call = || ToolCallInputs::new("refund");
    let mut ctx = RunContext::new("desk");
    let question = question_of(call(), &mut ctx).await.unwrap();
    ctx.answer(question, true);
    let saved = Mutex::new(None);
    let refund_and_save = async |call: Permit<ToolCallInputs>| {
        *saved.lock().unwrap() = Some(moved(&call.context()));
        refund(call).await
    };
    Desk.guard_tool_call(call(), &mut ctx, refund_and_save).await.unwrap();
    let mut after_crash = saved.into_inner().unwrap().unwrap();
    assert_eq!(question_of(call(), &mut after_crash).await, None);
    assert!(question_of(call(), &mut after_crash).await.is_some());
}

/// The answer of a run is valid in the whole run, and used up after it.
#[tokio::test]
async fn a_run_uses_its_answer_up_when_it_ends() {
    #[rail(on = [Start])]
    fn may_start(ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
        ask(ctx, &ToolCallInputs::new("start"))
    }
    let rails = rails![may_start, approval];
    let mut ctx = RunContext::new("desk");
    let mut asked = Vec::new();
    for _ in 0..2 {
        loop {
            let run = async |run: Permit<InvokeInputs>| {
                rails.dyn_tool_call(ToolCallInputs::new("refund"), &mut run.context(), refund).await?;
                Ok::<_, RunError>(InvokeOutput::text("done"))
            };
            let Err(error) = rails.dyn_run("go", &mut ctx, run).await else { break };
            let question = error.suspension().unwrap().question.clone();
            asked.push(question.event.clone());
            ctx.answer(question, true);
        }
    }
    let once = [HookPoint::Start.name(), HookPoint::PreToolCall.name()];
    assert_eq!(asked, [once, once].concat());
}

/// A parcel.
#[derive(Clone, Debug)]
struct Parcel(u32);

#[derive(Operation)]
#[operation(inputs = Parcel, output = bool)]
struct Ship;

#[rail(on = [PreShip])]
fn may_ship(parcel: &Parcel, ctx: &RailContext) -> Result<RailAction<bool>, serde_json::Error> {
    let question = ctx.question("ship it?").with_data(&parcel.0);
    Ok(match ctx.answer_to(&question)? {
        None => RailAction::suspend(question),
        Some(true) => RailAction::Continue,
        Some(false) => RailAction::skip_with(false, "refused"),
    })
}

/// The question and its answer are JSON between two programs, also for a custom event.
#[tokio::test]
async fn a_question_about_a_custom_operation_is_answered_in_another_program() {
    let rails = rail_chain![
        #[chain(operations = [Ship])]
        may_ship
    ];
    for yes in [true, false] {
        let ship = |_| async { Ok::<_, OperationError>(true) };
        let mut ctx = RunContext::new("desk");
        let error = rails.guard_operation::<Ship, _>(Parcel(7), &mut ctx, ship).await.unwrap_err();
        let asked = serde_json::to_string(&error.open_question().unwrap()).unwrap();

        let open: OpenQuestion = serde_json::from_str(&asked).unwrap();
        assert_eq!(
            (&*open.question.event, open.question.id().rsplit_once('.').unwrap().0),
            ("pre_ship", "0.0.pre_ship")
        );
        let ctx = moved(&ctx);
        ctx.answer(open.question, yes);
        let mut ctx = moved(&ctx);
        assert_eq!(rails.guard_operation::<Ship, _>(Parcel(7), &mut ctx, ship).await.unwrap(), yes);
    }
}
