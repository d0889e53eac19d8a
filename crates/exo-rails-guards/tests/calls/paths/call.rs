//! The rail: which arguments it takes for paths, what it decides, and what it reports.

use exo_rails::prelude::*;
use exo_rails::testing;
use exo_rails_guards::paths::{PathSandbox, Rights, SandboxRoots};
use exo_rails_guards::{Findings, OnRefusal, Severity};
use serde_json::{Value, json};

use crate::paths::{Playground, READ};

rail_chain! {
    struct Rails { paths: PathSandbox }
}

/// Returns the place and the rule of the finding about a call.
fn finding(sandbox: &PathSandbox, tool: &str, arguments: Value) -> Option<(String, String)> {
    let call = ToolCallInputs::new(tool).with_arguments(arguments);
    sandbox.check(&call).err().map(|finding| (finding.place.pointer, finding.rule.into_owned()))
}

#[expect(clippy::unnecessary_wraps, reason = "rows without a finding are `None`")]
fn found(place: &str, rule: &str) -> Option<(String, String)> {
    Some((place.into(), rule.into()))
}

#[test]
fn paths_are_found_by_the_names_of_arguments() {
    let playground = Playground::new();
    let sandbox = playground.sandbox();
    let out = "../outside/secret.txt";
    for name in [
        "path",
        "file",
        "file_path",
        "filePath",
        "FILE_PATH",
        "notebook_path",
        "outputDir",
        "cwd",
        "working_directory",
        "filename",
        "file_name",
        "dest",
        "destination",
        "source",
        "src",
        "paths",
        "Folder",
        "file-path",
        "path2",
        "targetFile",
        "root_dir",
    ] {
        assert_eq!(finding(&sandbox, "tool", json!({ name: out })), found(&format!("/{name}"), "outside"), "{name}");
    }
    for (arguments, place) in [
        (json!({ "paths": ["README.md", out] }), "/paths/1"),
        (json!({ "files": [["a", [out]]] }), "/files/0/1/0"),
        (json!({ "edits": [{ "path": "a" }, { "path": out }] }), "/edits/1/path"),
        (json!({ "input": { "options": { "cwd": out } } }), "/input/options/cwd"),
        (json!({ "files": { out: "content" } }), "/files/..~1outside~1secret.txt"),
    ] {
        assert_eq!(finding(&sandbox, "tool", arguments), found(place, "outside"));
    }
    for arguments in [
        json!({ "content": out, "text": "/etc/passwd", "pattern": "../*", "query": "/", "user_name": "../x", "xpath": "//a" }),
        json!({ "path": null, "file": 3, "files": [], "cwd": true }),
        json!("../outside"),
        json!(["../outside"]),
        json!(null),
    ] {
        assert_eq!(finding(&sandbox, "tool", arguments.clone()), None, "{arguments}");
    }
}

#[test]
fn tools_that_work_with_files_have_more_names_of_paths() {
    let playground = Playground::new();
    let sandbox = playground.builder().build().unwrap();
    let out = "../outside";
    for tool in ["copy_file", "moveFiles", "mcp__fs__rename", "CreateDirectory", "symlink", "zip-folder"] {
        for name in ["from", "to", "target", "newName", "output", "archive_name"] {
            let arguments = json!({ name: out });
            assert_eq!(finding(&sandbox, tool, arguments), found(&format!("/{name}"), "outside"), "{tool} {name}");
        }
        assert_eq!(finding(&sandbox, tool, json!({ "from": "a", "to": "b/c", "text": out })), None, "{tool}");
    }
    for tool in ["translate", "send_mail", "profile", "removed", "profiles"] {
        assert_eq!(finding(&sandbox, tool, json!({ "from": out, "to": out })), None, "{tool}");
    }
}

#[tokio::test]
async fn a_rule_below_the_threshold_is_reported_and_the_other_paths_are_checked() {
    let playground = Playground::new();
    for (enforce_from, paths, runs, expected) in [
        (Severity::Info, json!(["a/../x", "$HOME/x"]), false, vec!["missing-parent"]),
        (Severity::High, json!(["$HOME/x", "~/x"]), true, vec!["variable", "home"]),
        (Severity::High, json!(["$HOME/x", "../outside", "~/x"]), false, vec!["variable", "outside"]),
        (Severity::Critical, json!(["../outside"]), true, vec!["outside"]),
    ] {
        let builder = playground.builder().tool("open", ["/paths"], READ);
        let paths_guard = builder.configure(|config| config.enforce_from = enforce_from).build().unwrap();
        let rails = Rails { paths: paths_guard };
        let mut call = ToolCallInputs::new("open").with_arguments(json!({ "paths": paths }));
        let mut ctx = RunContext::new("test");
        let decision = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
        let Findings(findings) = ctx.extra.get().cloned().unwrap_or_default();
        let rules: Vec<_> = findings.iter().map(|finding| finding.rule.as_ref()).collect();
        assert_eq!((decision.is_continue(), rules), (runs, expected), "{enforce_from} {paths}");
    }
}

#[test]
fn the_rule_of_a_tool_replaces_the_names() {
    let playground = Playground::new();
    let sandbox = playground
        .builder()
        .tool("move_*", ["/from", "/to", "/items/*/where"], Rights::ALL)
        .tool("search", [], READ)
        .tool("raw", [""], READ)
        .build()
        .unwrap();
    let out = "../outside";
    for (tool, arguments, expected) in [
        ("move_file", json!({ "from": out }), found("/from", "outside")),
        ("move_file", json!({ "from": "a", "to": out }), found("/to", "outside")),
        ("move_file", json!({ "items": [{ "where": "a" }, { "where": [out] }] }), found("/items/1/where", "outside")),
        ("move_file", json!({ "from": 7 }), found("/from", "not-a-path")),
        ("move_file", json!({ "from": { "path": out } }), found("/from", "not-a-path")),
        ("move_file", json!({ "from": [["a"]] }), found("/from", "not-a-path")),
        ("move_file", json!("{\"from\": \"../outside\""), found("", "not-a-path")),
        ("move_file", json!({ "from": null, "path": out }), None),
        ("search", json!({ "path": out }), None),
        ("raw", json!(out), found("", "outside")),
        ("raw", json!("README.md"), None),
    ] {
        assert_eq!(finding(&sandbox, tool, arguments.clone()), expected, "{tool} {arguments}");
    }
    let off = playground.builder().configure(|config| config.detect = false).build().unwrap();
    assert_eq!(finding(&off, "tool", json!({ "path": out })), None);
}

#[test]
fn other_spellings_of_tools_and_arguments_are_checked_too() {
    let playground = Playground::new();
    let sandbox = playground
        .builder()
        .tool("move_*", ["from", "/items/*/where"], Rights::ALL)
        .tool("search", [], READ)
        .build()
        .unwrap();
    let out = "../outside";
    for (tool, arguments, expected) in [
        // Another spelling of an argument.
        ("move_file", json!({ "From": out }), found("/From", "outside")),
        ("move_file", json!({ "frоm": out }), found("/frоm", "outside")),
        ("move_file", json!({ "Items": [{ " where": out }] }), found("/Items/0/ where", "outside")),
        ("move_file", json!([{ "from": out }]), found("/0/from", "outside")),
        ("move_file", json!({ "items": "[{\"where\": \"../outside\"}]" }), found("/items", "outside")),
        // Another spelling of a tool: its rule and the names of the arguments count.
        ("Move_File", json!({ "from": out }), found("/from", "outside")),
        ("ｍove_file", json!({ "from": out }), found("/from", "outside")),
        ("Move_File", json!({ "path": out }), found("/path", "outside")),
        ("SEARCH", json!({ "path": out }), found("/path", "outside")),
        ("search\u{200b}", json!({ "path": out }), found("/path", "outside")),
        ("search", json!({ "path": out }), None),
        ("Move_File", json!({ "from": "README.md", "path": "README.md" }), None),
    ] {
        assert_eq!(finding(&sandbox, tool, arguments.clone()), expected, "{tool} {arguments}");
    }
}

#[tokio::test]
async fn a_refused_call_does_not_run_and_the_model_reads_why() {
    let playground = Playground::new();
    let rails = Rails { paths: playground.sandbox() };
    let mut ctx = RunContext::new("test");
    let path = "../outside/secret.txt";
    let call = ToolCallInputs::new("read_file").with_arguments(json!({ "path": path }));
    let output = rails
        .guard_tool_call(call.clone(), &mut ctx, |_| async { Ok::<_, OperationError>(ToolOutput::text("SECRET")) });
    let output = output.await.unwrap();
    assert!(
        output.content.contains("paths/outside: the path leads outside of the roots `project`"),
        "{}",
        output.content
    );
    assert!(!output.content.contains(path) && !output.content.contains("secret"), "no payload in messages");

    let finding = playground.sandbox().check(&call).unwrap_err();
    assert_eq!((finding.severity, finding.place.pointer.as_str()), (Severity::High, "/path"));
    testing::at::<PreToolCall>(&rails, call).await.assert_skipped(&finding.reason().to_string());
}

#[tokio::test]
async fn a_refused_call_can_end_the_run() {
    let playground = Playground::new();
    let sandbox = playground.builder().configure(|config| config.on_refusal = OnRefusal::Abort).build().unwrap();
    let mut ctx = RunContext::new("test");
    let call = ToolCallInputs::new("read_file").with_arguments(json!({ "path": "/etc/passwd" }));
    let rails = Rails { paths: sandbox };
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("no")) };
    let result = rails.guard_tool_call(call, &mut ctx, tool).await;
    assert!(matches!(result, Err(RunError::Abort(_))));
}

/// Copies the findings of the event to the run.
#[rail(priority = 90, on = [PreToolCall], always)]
fn copy(ctx: &RailContext) {
    ctx.run.insert(ctx.extra.get::<Findings>().cloned().unwrap_or_default());
}

rail_chain! {
    struct Copied { paths: PathSandbox, copy }
}

#[tokio::test]
async fn tools_receive_the_handle_and_rails_receive_the_findings() {
    let playground = Playground::new();
    let rails = Copied { paths: playground.sandbox() };
    let mut ctx = RunContext::new("test");
    let call = |path: &str| ToolCallInputs::new("list").with_arguments(json!({ "path": path }));
    let list = async |call: Permit<ToolCallInputs>| {
        let roots = call.provided::<SandboxRoots>().ok_or("no handle")?;
        let entries = roots.read_dir(call.str_argument("path").unwrap_or("."))?;
        Ok::<_, OperationError>(ToolOutput::text(
            entries.into_iter().map(|entry| entry.name).collect::<Vec<_>>().join(" "),
        ))
    };
    assert_eq!(rails.guard_tool_call(call("src"), &mut ctx, list).await.unwrap().content, "main.rs");
    assert_eq!(ctx.run.get::<Findings>(), Some(Findings::default()));
    rails.guard_tool_call(call(".git/hooks"), &mut ctx, list).await.unwrap();
    let findings = ctx.run.get::<Findings>().unwrap().0;
    assert_eq!(findings.len(), 1);
    assert_eq!(
        findings[0].to_string(),
        "paths/denied-name at /path: the path has a denied name in the root `project`: `.git/hooks`"
    );
}
