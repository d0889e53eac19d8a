//! What a log contains.

use exo_rails::prelude::*;
use exo_rails::{InMode, Mode, NoRails};
use exo_rails_agent::{Agent, ScriptedModel};
use exo_rails_audit::{Audit, AuditConfig, Level, Verify};
use serde_json::{Value, json};

use crate::bench::{Disk, lines, runtime};

#[rail(priority = 10, on = [PreToolCall])]
fn finder(call: &ToolCallInputs, ctx: &mut RailContext) -> RailAction {
    if call.tool_name != "refund" {
        return RailAction::Continue;
    }
    ctx.emit("finding", &json!({ "guard": "finder", "rule": "refund", "message": "a refund" }));
    ctx.emit("score", &json!({ "of": "the payload" }));
    RailAction::skip("finder/refund: a refund")
}

#[rail(priority = 20, on = [PreToolCall])]
fn shadow_rail(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "search", "no search")
}

#[rail(priority = 30, on = [PreToolCall])]
fn faulty(call: &ToolCallInputs) -> Result<RailAction, std::io::Error> {
    if call.tool_name == "broken" {
        Err(std::io::Error::other("the text of a fault"))
    } else {
        Ok(RailAction::Continue)
    }
}

rail_chain! {
    struct Rails { finder, shadow: InMode<shadow_rail>, faulty }
}

fn rails() -> Rails {
    Rails { shadow: InMode::new(Mode::Shadow, shadow_rail {}) }
}

const SCRIPT: &str = r#"[
    { "call": [{ "tool": "search", "arguments": { "query": "the text of an argument" } }, { "tool": "refund" }] },
    { "deltas": ["the text", " of an answer"] }
]"#;

/// The records of one run of an agent.
fn run(config: AuditConfig) -> Vec<Value> {
    let disk = Disk::default();
    runtime().block_on(async {
        let audit = Audit::to_sink(config, disk.clone()).unwrap();
        let model: ScriptedModel = SCRIPT.parse().unwrap();
        let tool =
            |name| Tool::new(name, "", json!({}), |_: Value| async { Ok::<_, OperationError>("the text of a result") });
        let agent =
            Agent::builder("desk", model).tool(tool("search")).tool(tool("refund")).rails(audit.wrap(rails())).build();
        agent.run("the text of a prompt").await.unwrap();
        // The end of the run has written everything.
        assert!(lines(&disk.log()).iter().any(|line| line["event"]["event"] == "finished"));
        drop(agent);
        audit.close().await.unwrap();
    });
    Verify::new().reader(&disk.log()[..]).unwrap();
    lines(&disk.log()).into_iter().filter_map(|line| line.get("event").cloned()).collect()
}

#[test]
fn a_run_has_a_record_of_each_event() {
    let records = run(Audit::builder());
    let names: Vec<_> =
        records.iter().map(|record| record["name"].as_str().or(record["event"].as_str()).unwrap()).collect();
    // The tool calls run at the same time, so the order of their records varies.
    let mut sorted = names.clone();
    sorted.sort_unstable();
    let all = [
        "context_assembled",
        "finding",
        "finished",
        "post_llm_call",
        "post_llm_call",
        "post_tool_call",
        "post_tool_call",
        "pre_llm_call",
        "pre_llm_call",
        "pre_tool_call",
        "pre_tool_call",
        "score",
        "shadow",
        "start",
    ];
    assert_eq!(sorted, all, "{names:?}");
}

fn the(records: &[Value], is: impl Fn(&Value) -> bool) -> &Value {
    records.iter().find(|record| is(record)).unwrap()
}

#[test]
fn the_level_metadata_records_names_sizes_and_decisions() {
    let records = run(Audit::builder());
    let finding = the(&records, |record| record["name"] == "finding");
    assert_eq!(finding["data"]["rule"], "refund");
    assert_eq!(finding.get("shadow"), None);
    let shadow = the(&records, |record| record["name"] == "shadow");
    assert_eq!((&shadow["shadow"], &shadow["data"]["how"]), (&json!(true), &json!("abort")));
    assert_eq!(the(&records, |record| record["name"] == "score")["data"]["bytes"], 20);

    let refused = the(&records, |record| record["stopped"].is_object());
    assert_eq!(refused["stopped"], json!({ "rail": "finder", "how": "skip", "reason": "finder/refund: a refund" }));
    assert_eq!(refused.get("payload"), None);
    let call = the(&records, |record| record["payload"]["call"]["tool_name"] == "search");
    let arguments = r#"{"query":"the text of an argument"}"#;
    assert_eq!(call["payload"]["call"]["arguments"]["bytes"], arguments.len());
    let answer = the(&records, |record| record["event"] == "post_llm_call");
    assert_eq!(answer["payload"]["response"]["calls"], json!(["search", "refund"]));

    let text = Value::from(records).to_string();
    assert!(!text.contains("the text"), "{text}");
}

#[test]
fn the_level_full_records_each_payload() {
    let text = Value::from(run(Audit::builder().level(Level::Full))).to_string();
    for part in ["a prompt", "an argument", "an answer", "a result"] {
        assert!(text.contains(&format!("the text of {part}")), "{part}");
    }
    assert!(text.contains("of\":\"the payload"));
    let named = Value::from(run(Audit::builder().data_of(["score"]))).to_string();
    assert!(named.contains("of\":\"the payload") && !named.contains("the text"));
}

#[test]
fn pieces_of_an_answer_are_recorded_on_request() {
    let chunks = |config: AuditConfig| {
        let disk = Disk::default();
        runtime().block_on(async {
            let audit = Audit::to_sink(config, disk.clone()).unwrap();
            let rails = audit.wrap(NoRails);
            for text in ["a", "b"] {
                let mut window = StreamWindow::new(text, false);
                let _ = rails
                    .dispatch::<LlmChunk>((&ModelCallInputs::default(), &mut window), &mut RunContext::new("desk"))
                    .await;
            }
            audit.close().await.unwrap();
        });
        lines(&disk.log()).iter().filter(|line| line["event"]["event"] == "llm_chunk").count()
    };
    assert_eq!((chunks(Audit::builder()), chunks(Audit::builder().chunks(true))), (0, 2));
}

/// The text of a fault is in the log at the level `full` only.
#[test]
fn only_the_level_full_records_the_text_of_a_fault() {
    for (level, has_text) in [(Level::Metadata, false), (Level::Full, true)] {
        let disk = Disk::default();
        runtime().block_on(async {
            let audit = Audit::to_sink(Audit::builder().level(level), disk.clone()).unwrap();
            let guarded = audit.wrap(rails());
            let mut call = ToolCallInputs::new("broken");
            assert!(guarded.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("desk")).await.is_err());
            audit.close().await.unwrap();
        });
        let record = lines(&disk.log()).swap_remove(1);
        assert_eq!(record["event"]["stopped"]["how"], "fault");
        assert_eq!(record["event"]["stopped"].get("reason").is_some(), has_text);
    }
}

/// A run that is dropped while a tool works has a record, although nothing can wait then.
#[test]
fn a_dropped_run_has_a_record() {
    let disk = Disk::default();
    runtime().block_on(async {
        let audit = Audit::to_sink(Audit::builder().capacity(1), disk.clone()).unwrap();
        let rails = audit.wrap(NoRails);
        let mut ctx = RunContext::new("desk");
        let run = rails.guard_run(InvokeInputs::default(), &mut ctx, |_| async {
            std::future::pending::<Result<InvokeOutput, RunError>>().await
        });
        assert!(tokio::time::timeout(std::time::Duration::from_millis(50), run).await.is_err());
        audit.close().await.unwrap();
    });
    let events: Vec<_> = lines(&disk.log()).iter().map(|line| line["event"]["event"].clone()).collect();
    assert_eq!(events[1..3], [json!("start"), json!("dropped")]);
}

/// A subscriber of the bus of the audit receives the same records.
#[test]
fn the_bus_has_the_same_records() {
    runtime().block_on(async {
        let audit = Audit::to_sink(Audit::builder(), Disk::default()).unwrap();
        let mut records = audit.bus().subscribe();
        crate::bench::call(&audit, "search").await;
        assert_eq!(records.recv().await.unwrap().unwrap().payload["call"]["tool_name"], "search");
    });
}

/// The hash of arguments does not depend on the order of their keys.
#[test]
fn equal_arguments_have_equal_hashes() {
    let disk = Disk::default();
    runtime().block_on(async {
        let audit = Audit::to_sink(Audit::builder(), disk.clone()).unwrap();
        let rails = audit.wrap(NoRails);
        for arguments in [r#"{"a":1,"b":2}"#, r#"{ "b": 2, "a": 1 }"#, r#"{"a":1,"b":3}"#] {
            let mut call = ToolCallInputs::new("t").with_arguments(serde_json::from_str(arguments).unwrap());
            let _ = rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("desk")).await;
        }
        audit.close().await.unwrap();
    });
    let hashes: Vec<_> = lines(&disk.log())[1..4]
        .iter()
        .map(|line| line["event"]["payload"]["call"]["arguments"]["sha256"].as_str().unwrap().to_owned())
        .collect();
    assert!(hashes[0] == hashes[1] && hashes[0] != hashes[2], "{hashes:?}");
}
