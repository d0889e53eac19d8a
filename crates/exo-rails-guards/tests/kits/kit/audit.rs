//! The table `audit` of a kit.

use std::fs;

use exo_rails::prelude::*;
use exo_rails_guards::audit::{Audit, OnError, verify};
use exo_rails_guards::{Kit, config};
use serde_json::{Value, json};

#[test]
fn the_log_of_a_kit_has_its_decisions() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kit.toml");
    let path = folder.path().join("audit.jsonl");
    let text = format!(
        "[permissions]\ndefault = 'allow'\nrules = [{{ tool = 'delete_*', decision = 'deny' }}]\n\n\
         [sizes]\nmode = 'shadow'\nmax_argument_bytes = 5\n\n\
         [audit]\npath = '{}'\non_error = 'report'\n",
        path.display()
    );
    fs::write(&file, text).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let rails = Kit::builder().audited_from_file(&file).unwrap();
        assert_eq!(rails.audit().config().on_error, OnError::Report);
        let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
        let call = ToolCallInputs::new("delete_order").with_arguments(json!({ "id": "a long argument" }));
        let output = rails.guard_tool_call(call, &mut RunContext::new("desk"), tool).await.unwrap();
        assert!(output.is_error);
    });
    assert!(verify(&path).unwrap().is_closed);
    let log = fs::read_to_string(&path).unwrap();
    let log: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let records: Vec<_> = log.iter().filter_map(|line| line.get("event")).collect();
    assert!(records.iter().any(|record| record["stopped"]["rail"] == "permissions"), "{records:?}");
    assert!(records.iter().any(|record| record["name"] == "finding" && record["data"]["guard"] == "permissions"));
    let shadow = records.iter().filter(|record| record["shadow"] == true);
    let names: Vec<_> = shadow.map(|record| (record["name"].as_str(), record["data"]["how"].as_str())).collect();
    assert_eq!(names, [(Some("finding"), None), (Some("shadow"), Some("skip"))]);
}

#[test]
fn an_audit_table_that_has_no_effect_is_a_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let text = format!("[sizes]\n\n[audit]\npath = '{}'\n", path.display());
    let builder = Kit::builder();
    assert_eq!(
        builder.from_toml(&text).unwrap_err().to_string(),
        "line 3, column 2: `audit`: the log goes around the kit: make both with `audited_from_toml` or `audited_from_file`",
    );
    assert_eq!(
        builder.audited_from_toml("[sizes]").unwrap_err().to_string(),
        "`audit`: the table is missing: write `[audit]` with a `path`",
    );
    let error = |text: &str| builder.audited_from_toml(text).unwrap_err().to_string();
    assert_eq!(
        error("[audit]\npath = ''"),
        "line 2, column 8: `audit`: `path`: write the path of the log, such as `audit.jsonl`",
    );
    assert_eq!(error("[audit]\npaht = 'a'"), "line 2, column 1: unknown key `paht`: did you mean `path`?");

    // The kit can be made again around which the audit already is.
    let audit = config::from_toml(&format!("path = '{}'", path.display())).and_then(Audit::new).unwrap();
    let builder = Kit::builder().audit(audit);
    assert!(builder.from_toml(&text).is_ok() && builder.from_toml("[sizes]").is_ok());
    assert_eq!(
        builder.from_toml(&format!("{text}level = 'full'")).unwrap_err().message,
        "`audit`: the log cannot change while the program runs: start the program again",
    );
}
