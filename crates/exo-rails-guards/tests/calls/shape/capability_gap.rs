use exo_rails::prelude::*;
use exo_rails_guards::AfterFeedback;
use exo_rails_guards::CapabilityGap;
use exo_rails_guards::capability_gap::CapabilityGapConfig;
use exo_rails_guards::capability_gap::GapAction;

use crate::shape::{calling, findings, offering};

rail_chain! { struct Guards { gap: CapabilityGap } }

const TOOLS: [&str; 5] = ["search", "read_file", "delete_file", "github__search_issues", "gitlab__search_issues"];

/// A run whose model has read these tools.
async fn run_with(gap: CapabilityGapConfig) -> (Guards, RunContext) {
    let (rails, mut ctx) = (Guards { gap: gap.build().unwrap() }, RunContext::new("test"));
    let model = |_| async { Ok::<_, OperationError>(calling(&[("1", "search", "{}")])) };
    rails.guard_llm_call(offering(&TOOLS), &mut ctx, model).await.unwrap();
    (rails, ctx)
}

async fn call(rails: &Guards, ctx: &mut RunContext, name: &str) -> Result<String, RunError> {
    let tool = |call: Permit<ToolCallInputs>| async move { Ok::<_, OperationError>(ToolOutput::text(&call.tool_name)) };
    rails.guard_tool_call(ToolCallInputs::new(name), ctx, tool).await.map(|output| output.content)
}

#[tokio::test]
async fn the_model_reads_the_nearest_names() {
    let table = [
        ("search", "search"),
        ("functions.search", "did you mean `search`?"),
        ("searchh", "did you mean `search`"),
        ("Read-Files", "did you mean `read_file`"),
        ("search_issue", "did you mean `github__search_issues`, `gitlab__search_issues`"),
        (
            "make_coffee",
            "the tools are `delete_file`, `github__search_issues`, `gitlab__search_issues`, `read_file`, `search`",
        ),
        ("", "the tools are"),
        ("secret-4711", "the tools are"),
    ];
    for (name, expected) in table {
        let (rails, mut ctx) = run_with(CapabilityGap::builder()).await;
        let output = call(&rails, &mut ctx, name).await.unwrap();
        assert!(output.contains(expected), "{name}: {output}");
        assert!(!findings(&ctx).concat().contains("secret-4711"));
    }
}

#[tokio::test]
async fn only_an_unambiguous_idempotent_tool_is_repaired() {
    let table = [
        ("functions.search", Some("search")),
        ("Search", Some("search")),
        ("readFiles", Some("read_file")),
        // It means one tool, but this tool may not be called by guess.
        ("deleteFile", None),
        // It means two tools.
        ("search_issues", None),
        ("github.search_issue", Some("github__search_issues")),
        // The other name space never is a spelling.
        ("bitbucket.search_issues", None),
        // Similar is not the same.
        ("serch", None),
        ("file_read", None),
    ];
    for (name, expected) in table {
        let gap = CapabilityGap::builder().action(GapAction::Repair);
        let gap = gap.idempotent(["search", "read_file", "github__search_issues", "gitlab__search_issues"]);
        let (rails, mut ctx) = run_with(gap).await;
        let output = call(&rails, &mut ctx, name).await.unwrap();
        match expected {
            Some(tool) => assert_eq!(output, tool, "{name}"),
            None => assert!(output.contains("there is no tool of this name"), "{name}: {output}"),
        }
    }
}

#[tokio::test]
async fn later_rails_see_the_repaired_name() {
    #[rail(priority = 10, on = [PreToolCall])]
    fn no_reading(call: &ToolCallInputs) -> RailAction {
        if call.tool_name == "read_file" { RailAction::skip("reading is not allowed") } else { RailAction::Continue }
    }
    rail_chain! { struct Both { no_reading, gap: CapabilityGap } }
    let gap = CapabilityGap::builder().tools(["read_file"]).action(GapAction::Repair).idempotent(["read_file"]);
    let rails = Both { gap: gap.build().unwrap() };
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("ran")) };
    let call = ToolCallInputs::new("functions.readFile");
    let output = rails.guard_tool_call(call, &mut RunContext::new("test"), tool).await.unwrap();
    assert!(output.content.ends_with("reading is not allowed"), "{}", output.content);
}

#[tokio::test]
async fn explanations_are_bounded() {
    for then in [AfterFeedback::Skip, AfterFeedback::Abort] {
        let (rails, mut ctx) = run_with(CapabilityGap::builder().max_feedback(2).after_feedback(then)).await;
        for _ in 0..2 {
            assert!(call(&rails, &mut ctx, "serch").await.unwrap().contains("did you mean"));
        }
        let text = "capability_gap: 2 explanations in this run have not helped: ";
        match (then, call(&rails, &mut ctx, "serch").await) {
            (AfterFeedback::Skip, Ok(output)) => assert!(output.ends_with(&format!("{text}do not repeat the call"))),
            (AfterFeedback::Abort, Err(error)) => assert!(error.to_string().ends_with(&format!("{text}the run ends"))),
            (then, result) => panic!("{then:?}: {result:?}"),
        }
        // A correct call still runs.
        if then == AfterFeedback::Skip {
            assert_eq!(call(&rails, &mut ctx, "search").await.unwrap(), "search");
        }
    }
}

#[tokio::test]
async fn an_unknown_tool_can_end_the_run_unless_no_tools_are_known() {
    let (rails, mut ctx) = run_with(CapabilityGap::builder().action(GapAction::Abort)).await;
    let error = call(&rails, &mut ctx, "serch").await.unwrap_err();
    assert!(error.to_string().contains("capability_gap/unknown_tool"), "{error}");

    let rails = Guards { gap: CapabilityGap::builder().build().unwrap() };
    assert_eq!(call(&rails, &mut RunContext::new("test"), "anything").await.unwrap(), "anything");
}

#[test]
fn a_configuration_that_contradicts_itself_is_refused() {
    let table = [
        (
            "action = \"repair\"",
            "`idempotent`: `repair` turns calls into calls of these tools only: name at least one, or write `feedback`",
        ),
        (
            "idempotent = [\"a\"]",
            "`idempotent`: only `action = \"repair\"` uses this list: write this action, or leave the list out",
        ),
        ("action = \"repai\"", "line 1, column 10: unknown value `repai`: did you mean `repair`?"),
    ];
    for (text, expected) in table {
        let error = exo_rails_guards::config::from_toml::<CapabilityGapConfig>(text).and_then(CapabilityGap::new);
        assert_eq!(error.unwrap_err().to_string(), expected);
    }
}
