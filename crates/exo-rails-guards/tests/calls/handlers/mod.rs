//! Hook handlers, with real processes, a real server and a scripted model.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

#[cfg(feature = "agent")]
mod asked;
mod commands;
mod configuration;
mod decisions;
#[cfg(feature = "http")]
mod endpoints;
mod groups;

use std::path::{Path, PathBuf};

use exo_rails::prelude::*;
use exo_rails_guards::handlers::{CommandRun, HandlerConfig, HandlerEvent, HookHandlers, HookHandlersBuilder, Run};
use serde_json::json;
use tempfile::TempDir;

rail_chain! { pub(crate) struct Guards { pub(crate) handlers: HookHandlers } }

/// A directory with scripts.
struct Hooks(TempDir);

impl Hooks {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a shell script. Another process writes it: a program that another test starts at this moment could inherit our
    /// handle, and the system does not run a file that is open for writing.
    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        let write = ["-c", "printf '#!/bin/sh\n%s\n' \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"];
        let written = std::process::Command::new("/bin/sh").args(write).arg(&path).arg(text).status().unwrap();
        assert!(written.success());
        path
    }

    /// A handler that runs this script before each tool call.
    fn handler(&self, name: &str, text: &str) -> HandlerConfig {
        HandlerConfig::new([HandlerEvent::PreToolCall], command(self.script(name, text)))
    }

    fn builder(&self) -> HookHandlersBuilder {
        HookHandlers::builder().allowed_dir(self.path())
    }

    fn guards(&self, handlers: impl IntoIterator<Item = HandlerConfig>) -> Guards {
        let builder = handlers.into_iter().fold(self.builder(), HookHandlersBuilder::handler);
        Guards { handlers: builder.build().unwrap() }
    }
}

fn command(program: PathBuf) -> Run {
    Run::Command(CommandRun { program, ..CommandRun::default() })
}

/// Makes a tool call. Returns the output, or the error of the run.
pub(crate) async fn call_tool(guards: &Guards, ctx: &mut RunContext) -> Result<String, String> {
    let call = ToolCallInputs::new("write_file").with_arguments(json!({ "path": "a.txt", "text": "it's \"$HOME\"" }));
    let tool = |call: Permit<ToolCallInputs>| async move {
        Ok::<_, OperationError>(ToolOutput::text(format!("ran with {}", call.arguments)))
    };
    let output = guards.guard_tool_call(call, ctx, tool).await;
    output.map(|output| output.content).map_err(|error| error.to_string())
}

/// Runs one script before a tool call.
async fn run_script(text: &str) -> Result<String, String> {
    let hooks = Hooks::new();
    let guards = hooks.guards([hooks.handler("hook", text)]);
    call_tool(&guards, &mut RunContext::new("test")).await
}
