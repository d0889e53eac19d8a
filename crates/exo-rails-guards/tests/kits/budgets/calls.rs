//! What calls use, at the exact boundary of each limit.

use std::time::Duration;

use exo_rails::Permit;
use exo_rails::message::Usage;
use exo_rails::prelude::*;
use exo_rails_guards::Scope;
use serde_json::json;

use crate::budgets::support::{answer, counter, model_call, rails, request, tool_call, usage};

#[tokio::test]
async fn exactly_the_allowed_number_of_calls_runs() {
    let (rails, _) = rails(
        r#"limits = [
            { name = "all", of = "tool_calls", most = 4 },
            { name = "mails", of = "tool_calls", most = 2, tools = ["send_*", "mail"] },
        ]"#,
    );
    let mut ctx = RunContext::new("demo");
    // The spelling of a name does not get around a limit.
    for (tool, refused_by) in [
        ("send_mail", None),
        ("SEND_mail", None),
        ("mail", Some("mails")),
        ("search", None),
        ("search", None),
        ("search", Some("all")),
    ] {
        let output = tool_call(&rails, &mut ctx, tool).await;
        match refused_by {
            None => assert_eq!(output, "done", "{tool}"),
            Some(rule) => assert!(output.contains(&format!("budgets/{rule}: ")), "{tool}: {output}"),
        }
    }
    // Another run begins from 0.
    assert_eq!(tool_call(&rails, &mut RunContext::new("demo"), "mail").await, "done");
}

#[tokio::test]
async fn each_measure_counts_its_part_of_the_usage() {
    let usage = Usage {
        extra: serde_json::from_value(json!({ "prompt_tokens_details": { "cached_tokens": 400 } })).unwrap(),
        ..usage(1_000, 200)
    };
    let table = [
        ("model_calls", 2, ""),
        ("prompt_tokens", 2_000, ""),
        ("completion_tokens", 400, ""),
        ("total_tokens", 2_400, ""),
        // 1000 * 0.15 + 200 * 0.60, for a million tokens, in billionths.
        ("cost", 540_000, "prices = [{ model = '*', prompt = 0.15, completion = '0.60' }]"),
        // 600 * 0.15 + 400 * 0.05 + 200 * 0.60
        ("cost", 460_000, "prices = [{ model = 'm', prompt = 0.15, completion = '0.60', cached_prompt = 0.05 }]"),
        ("tool_calls", 0, ""),
        ("output_bytes", 0, ""),
    ];
    for (of, used, prices) in table {
        let toml = format!("default_model = 'm'\nlimits = [{{ name = 'x', of = '{of}', most = 1_000_000 }}]\n{prices}");
        let (rails, store) = rails(&toml);
        let mut ctx = RunContext::new("demo").with_run_id("r");
        for _ in 0..2 {
            model_call(&rails, &mut ctx, Some(usage.clone())).await.unwrap();
        }
        let counter = counter(&store, "x", of, Scope::Run, "r").await;
        assert_eq!((counter.used, counter.reserved), (used, 0), "{of} {prices}");
    }
}

#[tokio::test]
async fn reasoning_tokens_in_the_total_count_as_completion_tokens() {
    let (rails, store) = rails("limits = [{ name = 'x', of = 'completion_tokens', most = 1_000 }]");
    let mut ctx = RunContext::new("demo").with_run_id("r");
    let hidden = Usage { prompt_tokens: 10, completion_tokens: 5, total_tokens: 315, ..Usage::default() };
    model_call(&rails, &mut ctx, Some(hidden)).await.unwrap();
    assert_eq!(counter(&store, "x", "completion_tokens", Scope::Run, "r").await.used, 305);
}

#[tokio::test]
async fn the_bytes_of_outputs_count() {
    let (rails, store) = rails("limits = [{ name = 'x', of = 'output_bytes', most = 8, tools = 'read' }]");
    let mut ctx = RunContext::new("demo").with_run_id("r");
    for expected in ["done", "done"] {
        assert_eq!(tool_call(&rails, &mut ctx, "read").await, expected);
    }
    assert!(tool_call(&rails, &mut ctx, "read").await.contains("8 bytes of output per run has no room: 8 are used"));
    assert_eq!(tool_call(&rails, &mut ctx, "other").await, "done");
    assert_eq!(counter(&store, "x", "output_bytes", Scope::Run, "r").await.used, 8);
}

#[tokio::test]
async fn a_request_with_max_tokens_needs_room_for_all_of_them() {
    // A text of 9 bytes and 12 bytes for the message are 7 tokens.
    for (max_tokens, most, runs) in [
        (Some(93), 100, true),
        (Some(94), 100, false),
        // Without the option, the answer is a guess, and any rest is enough.
        (None, 100, true),
        (None, 8, true),
        (None, 7, false),
    ] {
        let (rails, _) = rails(&format!("limits = [{{ name = 'x', of = 'total_tokens', most = {most} }}]"));
        let model = |_| async { Ok::<_, OperationError>(answer(Some(usage(1, 1)))) };
        let result = rails.guard_llm_call(request(9, max_tokens), &mut RunContext::new("demo"), model).await;
        assert_eq!(result.is_ok(), runs, "{max_tokens:?} of {most}");
    }
}

#[tokio::test]
async fn the_model_reads_a_warning_once_before_the_end() {
    let (rails, _) = rails("limits = [{ name = 'x', of = 'total_tokens', most = 1_000 }]");
    let mut ctx = RunContext::new("demo");
    for (used, warnings) in [(799, 0), (1, 1), (100, 0)] {
        model_call(&rails, &mut ctx, Some(usage(used, 0))).await.unwrap();
        let notices = ctx.take_notices();
        assert_eq!(notices.len(), warnings, "{used}");
        if let Some(notice) = notices.first() {
            let expected =
                "The budget `x` is nearly used up: 800 tokens of 1000 tokens per run. Finish with what you have.";
            assert_eq!(notice.text(), expected);
        }
    }
}

#[tokio::test]
async fn a_model_without_a_price_is_refused_or_free() {
    let toml = |policy| {
        format!(
            "unknown_price = '{policy}'\nlimits = [{{ name = 'x', of = 'cost', most = 1 }}]\n\
             prices = [{{ model = 'small-*', prompt = 1, completion = 1 }}]"
        )
    };
    for (policy, model, message) in [
        ("refuse", Some("small-1"), None),
        ("refuse", Some("large"), Some("budgets/unknown_price: the model `large` has no price: add it to `prices`")),
        ("refuse", None, Some("the request names no model, and without a model it has no price: set `default_model`")),
        ("free", Some("large"), None),
    ] {
        let (rails, _) = rails(&toml(policy));
        let request = ModelCallInputs { model: model.map(str::to_owned), ..ModelCallInputs::default() };
        let call = |_| async { Ok::<_, OperationError>(answer(Some(usage(1, 1)))) };
        let result = rails.guard_llm_call(request, &mut RunContext::new("demo"), call).await;
        match message {
            None => drop(result.unwrap()),
            Some(message) => {
                let error = result.unwrap_err().to_string();
                assert!(error.contains(message), "{error}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn wall_time_counts_once_for_calls_at_the_same_time() {
    let (rails, store) = rails("limits = [{ name = 'x', of = 'wall_time_ms', most = 1_000 }]");
    let mut ctx = RunContext::new("demo").with_run_id("r");
    let slow = |permit: Permit<ToolCallInputs>| {
        let rails = &rails;
        async move {
            let tool = |_| async {
                tokio::time::sleep(Duration::from_millis(400)).await;
                Ok::<_, OperationError>(ToolOutput::text("done"))
            };
            let (mut one, mut other) = (permit.context(), permit.context());
            let calls =
                [&mut one, &mut other].map(|ctx| rails.guard_tool_call(ToolCallInputs::new("inner"), ctx, tool));
            futures_util::future::join_all(calls).await;
            Ok::<_, OperationError>(ToolOutput::text("done"))
        }
    };
    rails.guard_tool_call(ToolCallInputs::new("outer"), &mut ctx, slow).await.unwrap();
    assert_eq!(counter(&store, "x", "wall_time_ms", Scope::Run, "r").await.used, 400);
    // The time between calls counts too.
    tokio::time::advance(Duration::from_millis(599)).await;
    assert_eq!(tool_call(&rails, &mut ctx, "search").await, "done");
    tokio::time::advance(Duration::from_millis(1)).await;
    assert_eq!(tool_call(&rails, &mut ctx, "search").await, "done");
    assert!(tool_call(&rails, &mut ctx, "search").await.contains("1000 ms per run has no room: 1000 are used"));
}

#[tokio::test(start_paused = true)]
async fn a_window_begins_again() {
    for (window, seconds) in [("minute", 60), ("hour", 3_600), ("day", 86_400)] {
        let (rails, _) = rails(&format!(
            "limits = [{{ name = 'x', of = 'tool_calls', most = 1, per = 'agent', window = '{window}' }}]"
        ));
        let mut ctx = RunContext::new("demo");
        assert_eq!(tool_call(&rails, &mut ctx, "search").await, "done");
        tokio::time::advance(Duration::from_millis(seconds * 1_000 - 1)).await;
        assert!(tool_call(&rails, &mut ctx, "search").await.contains("There can be room in 1 s"), "{window}");
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(tool_call(&rails, &mut ctx, "search").await, "done", "{window}");
    }
}

#[tokio::test]
async fn tool_calls_without_room_can_end_the_run() {
    let (rails, _) = rails("on_refusal = 'abort'\nlimits = [{ name = 'x', of = 'tool_calls', most = 1 }]");
    let mut ctx = RunContext::new("demo");
    tool_call(&rails, &mut ctx, "search").await;
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    let error = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap_err();
    let RunError::Abort(abort) = error else { panic!("{error}") };
    assert_eq!(abort.rail_name, "budgets");
    assert!(abort.reason.to_string().starts_with("budgets/x: "));
}

/// The findings of all events after a model call.
#[rail(priority = 90, on = [PostLlmCall])]
fn findings(ctx: &RailContext) {
    if let Some(exo_rails_guards::Findings(found)) = ctx.extra.get() {
        let shown = found.iter().map(|finding| format!("{}: {finding}", finding.severity));
        ctx.run.update(|all: &mut Vec<String>| all.extend(shown));
    }
}

rail_chain! { struct Watched { budgets: exo_rails_guards::Budgets, findings } }

#[tokio::test]
async fn a_warning_is_also_a_finding() {
    let budgets = crate::budgets::support::budgets("limits = [{ name = 'x', of = 'total_tokens', most = 1_000 }]");
    let rails = Watched { budgets };
    let mut ctx = RunContext::new("demo");
    for used in [799, 1, 100] {
        let model = |_| async move { Ok::<_, OperationError>(crate::budgets::support::answer(Some(usage(used, 0)))) };
        rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.unwrap();
    }
    let found: Vec<String> = ctx.run.get().unwrap();
    assert_eq!(found, ["low: budgets/x: The budget `x` is nearly used up: 800 tokens of 1000 tokens per run"]);
}
