//! A loop of calls whose tool the test writes.

use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;
use exo_rails_guards::config;
use exo_rails_guards::loops::{Loops, LoopsConfig};
use serde_json::Value;

rail_chain! {
    pub(crate) struct Rails { pub(crate) loops: Loops }
}

pub(crate) fn loops(toml: &str) -> Loops {
    config::from_toml::<LoopsConfig>(toml).unwrap().build().unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn rails(toml: &str) -> Rails {
    Rails { loops: loops(toml) }
}

/// What happened to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happened {
    Ran,
    Refused,
    Aborted,
}

/// A run with tools that count their calls.
pub(crate) struct Run<R> {
    pub(crate) rails: R,
    pub(crate) ctx: RunContext,
    pub(crate) calls: AtomicU32,
}

impl<R: GuardSet> Run<R> {
    pub(crate) fn new(rails: R) -> Self {
        Self { rails, ctx: RunContext::new("demo"), calls: AtomicU32::new(0) }
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value, result: &str) -> Happened {
        self.output(tool, arguments, Ok(ToolOutput::text(result))).await
    }

    pub(crate) async fn output(&mut self, tool: &str, arguments: Value, output: Result<ToolOutput, &str>) -> Happened {
        let Self { rails, ctx, calls } = self;
        let before = calls.load(Ordering::SeqCst);
        let body = |_| {
            calls.fetch_add(1, Ordering::SeqCst);
            let output = output.clone().map_err(OperationError::from);
            async move { output }
        };
        let called = rails.guard_tool_call(ToolCallInputs::new(tool).with_arguments(arguments), ctx, body).await;
        match called {
            Err(RunError::Abort(_)) => Happened::Aborted,
            Err(error) => panic!("{error}"),
            Ok(_) if calls.load(Ordering::SeqCst) > before => Happened::Ran,
            Ok(output) => {
                assert!(output.content.contains("loops/"), "{}", output.content);
                Happened::Refused
            }
        }
    }

    /// Takes the warnings for the model.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.ctx.take_notices().iter().map(|message| message.text().into_owned()).collect()
    }
}
