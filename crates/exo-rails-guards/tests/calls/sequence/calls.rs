//! Calls with all their ends, in one process and in several.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{InMode, Mode, RunContext};
use exo_rails_guards::sequence::SequenceRule;
use exo_rails_guards::store::{
    Claim, Conflict, Counter, Expected, OverLimit, Record, Reservation, StoreFuture, Version, Write,
};
use exo_rails_guards::store::{GuardStore, LogEntry, MemoryStore, StateStore};
use exo_rails_guards::{OnRefusal, Sequence, StoreError};
use serde_json::{Value, json};
use tokio::task::JoinSet;

rail_chain! {
    struct Rails { sequence: Sequence }
}

fn sequence(rules: &[&str], store: impl StateStore + 'static) -> Sequence {
    let rules: Vec<SequenceRule> = rules.iter().map(|rule| rule.parse().unwrap()).collect();
    Sequence::builder().rules(rules).build().unwrap().with_store(GuardStore::new(store))
}

fn rails(rules: &[&str]) -> Rails {
    Rails { sequence: sequence(rules, MemoryStore::new()) }
}

async fn call(rails: &impl GuardSet, ctx: &mut RunContext, tool: &str, arguments: Value) -> Result<String, RunError> {
    let body = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    let call = ToolCallInputs::new(tool).with_arguments(arguments);
    rails.guard_tool_call(call, ctx, body).await.map(|output| output.content)
}

#[tokio::test]
async fn a_refusal_tells_the_model_which_calls_it_needs() {
    for (rules, calls, reason) in [
        (
            &["refund only after approve within 1h same order_id"][..],
            &[][..],
            "the call needs successful calls of `approve` with the same `order_id` in this run before it, at most 1h earlier. \
          Call `approve` first, and then repeat this call",
        ),
        (
            &["never refund after read_web per global"],
            &["read_web"],
            "the call is not allowed after successful calls of `read_web`",
        ),
        (
            &["never refund after read_web unless review in between within 1m"],
            &["read_web"],
            "the call is not allowed after successful calls of `read_web` in this run. It is allowed again after successful \
          calls of `review` in this run",
        ),
        (
            &["never refund after read_web within 1h"],
            &["read_web"],
            "the call is not allowed after successful calls of `read_web` in this run. It is allowed again in 3600 s",
        ),
        (
            &["at most 1 refund or payout within 1d"],
            &["refund"],
            "at most 1 are allowed of successful calls of `refund` or `payout` in this run within 1d: 1 have ended. There can \
          be room in 86400 s",
        ),
        (
            &["sum of amount in refund at most 9"],
            &["refund"],
            "the sum of `amount` in successful calls of `refund` in this run can be at most 9, and 5 is used",
        ),
        (
            &["at most 1 refund same customer"],
            &[],
            "the rule needs the argument `customer` of this call, and it is missing",
        ),
        (
            &["sum of order_id in refund at most 9"],
            &[],
            "the rule needs the argument `order_id` of this call, and it is not an amount from 0",
        ),
    ] {
        let (rails, mut ctx) = (rails(rules), RunContext::new("desk"));
        let arguments = json!({ "order_id": "x7", "amount": 5 });
        for tool in calls {
            assert_eq!(call(&rails, &mut ctx, tool, arguments.clone()).await.unwrap(), "done");
        }
        let found = call(&rails, &mut ctx, "refund", arguments).await.unwrap();
        assert!(found.ends_with(&format!("sequence/{}: {reason}", rules[0])), "{found}");
    }
}

#[tokio::test]
async fn a_refusal_shows_the_name_and_the_reason_of_its_rule() {
    let rule: SequenceRule = "at most 1 refund".parse().unwrap();
    let rule = rule.named("one").because("the second refund needs a person");
    let sequence = Sequence::builder().rules([rule]).on_refusal(OnRefusal::Abort).build().unwrap();
    let (rails, mut ctx) = (Rails { sequence }, RunContext::new("desk"));
    call(&rails, &mut ctx, "refund", json!({})).await.unwrap();
    let error = call(&rails, &mut ctx, "refund", json!({})).await.unwrap_err().to_string();
    assert!(error.contains("sequence/one: at most 1 are allowed"), "{error}");
    assert!(error.contains("1 have ended. the second refund needs a person"), "{error}");
}

#[tokio::test]
async fn spellings_do_not_get_around_a_rule_and_do_not_approve() {
    let (rails, mut ctx) =
        (rails(&["refund only after approve", "never send_mail after read_*"]), RunContext::new("desk"));
    for (tool, is_allowed) in [
        ("Approve", true),
        ("approve ", true),
        ("refund", false),
        ("Refund", false),
        ("re\u{200b}fund", false),
        ("approve", true),
        ("refund", true),
        ("Read_Web", true),
        ("SEND_MAIL", false),
    ] {
        let output = call(&rails, &mut ctx, tool, json!({})).await.unwrap();
        assert_eq!(output == "done", is_allowed, "{tool}: {output}");
    }
}

#[tokio::test]
async fn an_output_that_reports_a_failure_is_a_failed_call() {
    let (rails, mut ctx) = (rails(&["refund only after approve"]), RunContext::new("desk"));
    let fails = |_| async { Ok::<_, OperationError>(ToolOutput::error("not now")) };
    rails.guard_tool_call(ToolCallInputs::new("approve"), &mut ctx, fails).await.unwrap();
    assert!(call(&rails, &mut ctx, "refund", json!({})).await.unwrap().contains("Call `approve` first"));
}

#[tokio::test]
async fn a_call_that_another_guard_refuses_did_not_happen() {
    #[rail(priority = 10, on = [PreToolCall])]
    fn early(call: &ToolCallInputs) -> Verdict {
        if call.arguments["by"] == "early" { Verdict::abort("no") } else { Verdict::Continue }
    }
    #[rail(priority = 10, on = [PreToolCall])]
    fn before(call: &ToolCallInputs) -> RailAction {
        if call.arguments["by"] == "before" { RailAction::skip("no") } else { RailAction::Continue }
    }
    #[rail(priority = 90, on = [PreToolCall])]
    fn behind(call: &ToolCallInputs) -> RailAction {
        if call.arguments["by"] == "behind" { RailAction::skip("no") } else { RailAction::Continue }
    }
    rail_chain! { struct Others { early, before, sequence: Sequence, behind } }
    let rules = ["at most 1 refund", "refund only after approve", "appeal only after refused pay"];
    let rails = Others { sequence: sequence(&rules, MemoryStore::new()) };
    let mut ctx = RunContext::new("desk");
    for by in ["before", "behind"] {
        call(&rails, &mut ctx, "approve", json!({ "by": by })).await.unwrap();
        assert!(call(&rails, &mut ctx, "refund", json!({})).await.unwrap().contains("Call `approve` first"), "{by}");
    }
    call(&rails, &mut ctx, "approve", json!({})).await.unwrap();
    for by in ["before", "behind"] {
        call(&rails, &mut ctx, "refund", json!({ "by": by })).await.unwrap();
    }
    assert!(call(&rails, &mut ctx, "appeal", json!({})).await.unwrap().contains("Call `pay` first"));
    call(&rails, &mut ctx, "pay", json!({ "by": "before" })).await.unwrap();
    assert_eq!(call(&rails, &mut ctx, "appeal", json!({})).await.unwrap(), "done");
    assert_eq!(call(&rails, &mut ctx, "refund", json!({})).await.unwrap(), "done");
    assert!(call(&rails, &mut ctx, "refund", json!({ "by": "early" })).await.is_err());
}

#[tokio::test]
async fn a_guard_in_shadow_refuses_nothing_and_counts_for_itself() {
    rail_chain! { struct Both { shadow: InMode<Sequence>, sequence: Sequence } }
    let store = Arc::new(MemoryStore::new());
    let shadow = InMode::new(Mode::Shadow, sequence(&["at most 1 refund", "refund only after approve"], store.clone()));
    let rails = Both { shadow, sequence: sequence(&["at most 2 refund"], store) };
    let mut ctx = RunContext::new("desk");
    for tool in ["refund", "approve", "refund", "refund"] {
        let output = call(&rails, &mut ctx, tool, json!({})).await.unwrap();
        assert_eq!(output == "done", ctx.run.get::<Last>().is_none(), "{output}");
        let refunds = ctx.run.update(|Refunds(count): &mut Refunds| {
            *count += u32::from(tool == "refund");
            *count
        });
        if refunds == 2 {
            ctx.run.insert(Last);
        }
    }
}

#[derive(Clone, Default)]
struct Refunds(u32);

#[derive(Clone)]
struct Last;

/// Replicas with one store, and a call in each: the limit holds.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn parallel_calls_never_pass_a_limit_together() {
    for (rules, most) in [
        (&["at most 1 refund per global same order_id"][..], 1),
        (&["never refund after refund per global"], 1),
        (&["at most 3 refund per global within 1h"], 3),
        (&["sum of amount in refund at most 10 per global"], 2),
        (&["at most 4 refund per global", "at most 2 refund per global within 1d"], 2),
    ] {
        let store = Arc::new(MemoryStore::new());
        let (running, highest, total) =
            (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let mut tasks = JoinSet::new();
        for _ in 0..24 {
            let rails = Rails { sequence: sequence(rules, store.clone()) };
            let (running, highest, total) = (running.clone(), highest.clone(), total.clone());
            tasks.spawn(async move {
                let body = |_| async {
                    highest.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    running.fetch_sub(1, Ordering::SeqCst);
                    total.fetch_add(1, Ordering::SeqCst);
                    Ok::<_, OperationError>(ToolOutput::text("done"))
                };
                let call = ToolCallInputs::new("refund").with_arguments(json!({ "order_id": 7, "amount": 5 }));
                rails.guard_tool_call(call, &mut RunContext::new("desk"), body).await.unwrap();
            });
        }
        while let Some(task) = tasks.join_next().await {
            task.unwrap();
        }
        let (highest, total) = (highest.load(Ordering::SeqCst), total.load(Ordering::SeqCst));
        // With two rules, calls that the second one refuses can take a place for a moment.
        assert!(highest <= most && total <= most && total > 0, "{rules:?}: {highest} and {total}");
        assert!(rules.len() > 1 || total == most, "{rules:?}: {total}");
    }
}

/// A store that fails at some of its operations.
#[derive(Debug, Default)]
struct Failing {
    store: MemoryStore,
    operations: AtomicU32,
    fails_from: AtomicU32,
}

impl Failing {
    fn fails(&self) -> bool {
        self.operations.fetch_add(1, Ordering::SeqCst) >= self.fails_from.load(Ordering::SeqCst)
    }
}

macro_rules! failing {
    ($($name:ident<$lt:lifetime>($($arg:ident: $type:ty),*) -> $out:ty;)+) => {
        impl StateStore for Failing {
            $(fn $name<$lt>(&$lt self, $($arg: $type),*) -> StoreFuture<$lt, $out> {
                if self.fails() {
                    return Box::pin(async { Err(StoreError::failed("the store is on fire")) });
                }
                self.store.$name($($arg),*)
            })+
        }
    };
}

failing! {
    get<'a>(key: &'a str) -> Option<Record>;
    compare_and_set<'a>(key: &'a str, expected: Expected, write: Write<'a>) -> Result<Version, Conflict>;
    reserve<'a>(claims: &'a [Claim<'a>], hold_for: Duration) -> Result<Reservation, OverLimit>;
    settle<'a>(reservation: &'a Reservation, used: &'a [u64]) -> ();
    counter<'a>(key: &'a str) -> Counter;
    append<'a>(key: &'a str, entry: &'a [u8], keep: usize, expires_in: Option<Duration>) -> u64;
    entries<'a>(key: &'a str) -> Vec<LogEntry>;
}

#[tokio::test]
async fn a_store_that_fails_at_any_operation_lets_nothing_through() {
    let rules = ["at most 1 refund", "never refund after read_web", "refund only after approve"];
    for fails_from in 0..20 {
        let store = Arc::new(Failing { fails_from: u32::MAX.into(), ..Failing::default() });
        let rails = Rails { sequence: sequence(&rules, store.clone()) };
        let mut ctx = RunContext::new("desk");
        call(&rails, &mut ctx, "approve", json!({})).await.unwrap();
        store.operations.store(0, Ordering::SeqCst);
        store.fails_from.store(fails_from, Ordering::SeqCst);
        let first = call(&rails, &mut ctx, "refund", json!({})).await;
        store.fails_from.store(u32::MAX, Ordering::SeqCst);
        let second = call(&rails, &mut ctx, "refund", json!({})).await;
        let done = |result: &Result<String, RunError>| result.as_ref().is_ok_and(|output| output == "done");
        assert!(!(done(&first) && done(&second)), "{fails_from}");
        assert!(first.is_ok() || fails_from < 20);
    }
}

#[tokio::test]
async fn a_missing_user_is_a_fault() {
    let error = call(&rails(&["at most 1 refund per user"]), &mut RunContext::new("desk"), "refund", json!({})).await;
    assert!(error.unwrap_err().to_string().contains("put a `UserId` into `ctx.run` or `ctx.session`"));
}

#[tokio::test(start_paused = true)]
async fn the_memory_of_a_long_run_is_bounded() {
    let store = Arc::new(MemoryStore::new().max_items(10).max_bytes(400_000));
    let rules =
        ["at most 1_000_000 a", "sum of amount in a at most 1_000_000 within 10d", "never b after a", "b only after a"];
    let rails = Rails { sequence: sequence(&rules, store) };
    let mut ctx = RunContext::new("desk");
    for _ in 0..1_000 {
        tokio::time::advance(Duration::from_millis(10)).await;
        assert_eq!(call(&rails, &mut ctx, "a", json!({ "amount": 1 })).await.unwrap(), "done");
    }
}

#[tokio::test]
async fn rules_compare_nested_fields() {
    let rails = rails(&["ship only after pay same order.id", "sum of price.euros in refund at most 10 same order.id"]);
    let mut ctx = RunContext::new("desk");
    for (tool, arguments, runs) in [
        ("pay", json!({ "order": { "id": 7 } }), true),
        ("pay", json!({ "order.id": 8 }), false),
        ("ship", json!({ "order": { "id": 8 } }), false),
        ("ship", json!({ "order": 7, "id": 7, "order.id": 7 }), false),
        ("ship", json!({ "order": { "id": 7.0, "x": 1 } }), true),
        ("refund", json!({ "order": { "id": 7 }, "price": { "euros": 6 } }), true),
        ("refund", json!({ "order": { "id": 7 }, "price": { "euros": 5 } }), false),
        ("refund", json!({ "order": { "id": 7 }, "price": 1 }), false),
        ("refund", json!({ "order": { "id": 8 }, "price": { "euros": 5 } }), true),
    ] {
        let output = call(&rails, &mut ctx, tool, arguments.clone()).await.unwrap();
        assert_eq!(output == "done", runs, "{tool} {arguments}: {output}");
    }
}

#[tokio::test]
async fn a_rule_can_forbid_a_call_directly_after_another() {
    let rails = rails(&["never deploy after edit unless * in between"]);
    let mut ctx = RunContext::new("desk");
    for (tool, runs) in
        [("deploy", true), ("edit", true), ("deploy", false), ("deploy", false), ("test", true), ("deploy", true)]
    {
        assert_eq!(call(&rails, &mut ctx, tool, json!({})).await.unwrap() == "done", runs, "{tool}");
    }
}

/// A process that opens the store again goes on with the history.
#[cfg(feature = "file-store")]
#[tokio::test]
async fn a_restart_forgets_no_call() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let rules = ["refund only after approve within 1h same order_id per session", "at most 2 refund per session"];
    let process = || {
        let store = exo_rails_guards::store::FileStore::open(&path).unwrap();
        let ctx = RunContext::new("desk").with_session("s", exo_rails::SharedExtensions::default(), 0);
        (Rails { sequence: sequence(&rules, store) }, ctx)
    };
    for (tool, order, runs) in [
        ("refund", 7, false),
        ("approve", 7, true),
        ("refund", 8, false),
        ("refund", 7, true),
        ("refund", 7, true),
        ("refund", 7, false),
    ] {
        let (rails, mut ctx) = process();
        let output = call(&rails, &mut ctx, tool, json!({ "order_id": order })).await.unwrap();
        assert_eq!(output == "done", runs, "{tool} {order}: {output}");
    }
}
