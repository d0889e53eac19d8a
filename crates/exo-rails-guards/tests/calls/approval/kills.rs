//! A run asks in one process, which is killed. A second process replies, and a third one goes on.
//!
//! The test starts its own program again: as a child, the program runs only the test [`child`].

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, FileCheckpoints, ScriptedModel};
use exo_rails_guards::approval::{Inbox, Reply};
use exo_rails_guards::store::FileStore;
use serde_json::{Value, json};

use crate::approval::{Guarded, guarded};

const FOLDER: &str = "EXO_RAILS_TEST_FOLDER";

fn inbox(folder: &Path) -> Inbox {
    Inbox::new(Arc::new(FileStore::open(folder.join("state")).unwrap()))
}

/// The agent of each process. It pays by a line in a file.
fn agent(folder: &Path, script: &str) -> Agent<ScriptedModel, Guarded> {
    let bank = folder.join("bank");
    let pay = Tool::new("pay", "Pays.", json!({ "type": "object" }), move |call: Value| {
        let bank = bank.clone();
        async move {
            let mut bank = std::fs::OpenOptions::new().create(true).append(true).open(bank)?;
            writeln!(bank, "{}", call["to"])?;
            Ok::<_, OperationError>("paid")
        }
    });
    let checkpoints = FileCheckpoints::open(folder.join("runs")).unwrap();
    let model: ScriptedModel = script.parse().unwrap();
    Agent::builder("clerk", model).tool(pay).rails(guarded(inbox(folder))).checkpoints(checkpoints).build()
}

#[test]
#[ignore = "the other tests start it in a process of its own"]
fn child() {
    let folder = std::path::PathBuf::from(std::env::var(FOLDER).expect("started by another test"));
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let checkpoints = FileCheckpoints::open(folder.join("runs")).unwrap();
        let result = if let Some(run) = checkpoints.load("ticket-7").unwrap() {
            agent(&folder, r#"[{ "say": "The money is on its way." }]"#).run(run).await
        } else {
            let script = r#"[{ "call": [{ "tool": "pay", "arguments": { "to": "ada" } }] }]"#;
            let mut ctx = RunContext::new("clerk").with_run_id("ticket-7");
            agent(&folder, script).run_in("Pay Ada.", &mut ctx).await
        };
        match result {
            Ok(output) => println!("\nanswer: {}", output.text),
            Err(failed) => {
                println!("\nsuspended: {}", failed.suspended.is_some());
                // The process never ends by itself.
                std::future::pending::<()>().await;
            }
        }
    });
}

/// Starts a process, and returns its line.
fn process(folder: &Path) -> (Child, String) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "approval::kills::child"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("answer: ") && !line.starts_with("suspended: ") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "the child ended without a line");
    }
    // The child can still write its last lines.
    child.stdout = Some(output.into_inner());
    (child, line.trim_end().to_owned())
}

fn killed(folder: &Path) -> String {
    let (mut child, line) = process(folder);
    child.kill().unwrap();
    child.wait().unwrap();
    line
}

#[tokio::test]
async fn a_run_survives_the_end_of_its_process() {
    for (reply, paid) in [
        (Reply::ApproveOnce, "\"ada\"\n"),
        (Reply::deny("no receipt"), ""),
        (Reply::Change { arguments: json!({ "to": "bob" }) }, "\"bob\"\n"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(killed(folder.path()), "suspended: true");
        // Nobody has replied yet, so another process waits as well.
        assert_eq!(killed(folder.path()), "suspended: true");

        // This process is the one in which the person is.
        let inbox = inbox(folder.path());
        let open = inbox.open().await.unwrap();
        assert_eq!(open.len(), 1);
        assert_eq!((open[0].request.tool_name.as_str(), &open[0].request.arguments), ("pay", &json!({ "to": "ada" })));
        inbox.reply(&open[0], reply).await.unwrap();

        let (mut child, line) = process(folder.path());
        assert!(child.wait().unwrap().success());
        assert_eq!(line, "answer: The money is on its way.");
        assert_eq!(std::fs::read_to_string(folder.path().join("bank")).unwrap_or_default(), paid);
        assert!(inbox.open().await.unwrap().is_empty());
    }
}
