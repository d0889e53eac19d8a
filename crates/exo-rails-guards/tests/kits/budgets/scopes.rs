//! Whose calls count together.

use exo_rails::prelude::*;
use exo_rails::{Permit, SharedExtensions};
use exo_rails_guards::{Scope, UserId};

use crate::budgets::support::{counter, model_call, rails, tool_call, usage};

fn of(user: &str) -> RunContext {
    let ctx = RunContext::new("demo");
    ctx.run.insert(UserId::new(user));
    ctx
}

#[tokio::test]
async fn each_scope_has_its_own_count() {
    let session = |id: &str| RunContext::new("demo").with_session(id, SharedExtensions::default(), 0);
    // The second run shares the budget of the first, and the third does not.
    let table: [(&str, [RunContext; 2], Option<RunContext>); 5] = [
        (
            "run",
            [RunContext::new("a").with_run_id("1"), RunContext::new("b").with_run_id("1")],
            Some(RunContext::new("a")),
        ),
        ("session", [session("s"), session("s")], Some(session("t"))),
        ("user", [of("ada"), of("ada")], Some(of("bob"))),
        ("agent", [RunContext::new("a"), RunContext::new("a")], Some(RunContext::new("b"))),
        ("global", [RunContext::new("a"), of("ada")], None),
    ];
    for (per, [mut first, mut second], third) in table {
        let (rails, _) = rails(&format!("limits = [{{ name = 'x', of = 'tool_calls', most = 1, per = '{per}' }}]"));
        assert_eq!(tool_call(&rails, &mut first, "search").await, "done", "{per}");
        assert!(tool_call(&rails, &mut second, "search").await.contains("no room"), "{per}");
        if let Some(mut third) = third {
            assert_eq!(tool_call(&rails, &mut third, "search").await, "done", "{per}");
        }
    }
}

#[tokio::test]
async fn user_names_with_separators_do_not_share_a_count() {
    let (rails, _) = rails("limits = [{ name = 'x', of = 'tool_calls', most = 1, per = 'user' }]");
    for user in ["a", "a/b", "a~1b", "a:b", "user/a"] {
        assert_eq!(tool_call(&rails, &mut of(user), "search").await, "done", "{user}");
    }
}

#[tokio::test]
async fn a_missing_user_or_session_is_a_fault() {
    for (per, message) in [
        (
            "user",
            "a limit of the guard is per user, and the run has no user: put a `UserId` into `ctx.run` or `ctx.session`",
        ),
        ("session", "a limit of the guard is per session, and the run has no session: start the run in a session"),
    ] {
        for mut ctx in [RunContext::new("demo"), of("")] {
            let (rails, _) = rails(&format!("limits = [{{ name = 'x', of = 'tool_calls', most = 1, per = '{per}' }}]"));
            let tool = async |_| -> Result<ToolOutput, OperationError> { panic!("the tool ran") };
            let result = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await;
            let error = result.unwrap_err();
            assert!(matches!(error, RunError::Fault(_)), "{error}");
            assert!(error.to_string().contains(message), "{error}");
        }
    }
}

#[tokio::test]
async fn two_budgets_apply_at_the_same_time() {
    let (rails, store) = rails(
        "limits = [
            { name = 'day', of = 'total_tokens', most = 1_000, per = 'user', window = 'day' },
            { name = 'run', of = 'total_tokens', most = 600 },
        ]",
    );
    let (mut first, mut second) = (of("ada"), of("ada"));
    model_call(&rails, &mut first, Some(usage(600, 0))).await.unwrap();
    let error = model_call(&rails, &mut first, None).await.unwrap_err().to_string();
    assert!(error.contains("budgets/run: "), "{error}");
    // The refusal has reserved nothing in the other budget.
    let day = counter(&store, "day", "total_tokens", Scope::User, "ada").await;
    assert_eq!((day.used, day.reserved), (600, 0));
    model_call(&rails, &mut second, Some(usage(400, 0))).await.unwrap();
    let error = model_call(&rails, &mut second, None).await.unwrap_err().to_string();
    assert!(error.contains("budgets/day: "), "{error}");
}

#[tokio::test]
async fn an_agent_inside_a_tool_shares_the_budget() {
    for per in ["user", "run"] {
        let (rails, _) = rails(&format!("limits = [{{ name = 'x', of = 'model_calls', most = 3, per = '{per}' }}]"));
        let mut ctx = of("ada");
        model_call(&rails, &mut ctx, None).await.unwrap();
        let agent = |permit: Permit<ToolCallInputs>| {
            let rails = &rails;
            async move {
                let body = async |inner: Permit<InvokeInputs>| {
                    let mut calls = 0;
                    while model_call(rails, &mut inner.context(), None).await.is_ok() {
                        calls += 1;
                    }
                    Ok::<_, RunError>(InvokeOutput::text(calls.to_string()))
                };
                let output = rails.guard_run("hello", &mut permit.context(), body).await.unwrap();
                Ok::<_, OperationError>(ToolOutput::text(output.text))
            }
        };
        let output = rails.guard_tool_call(ToolCallInputs::new("ask_agent"), &mut ctx, agent).await.unwrap();
        assert_eq!(output.content, "2", "{per}");
        assert!(model_call(&rails, &mut ctx, None).await.is_err(), "{per}");
    }
}
