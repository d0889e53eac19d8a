//! Runs that read and call.

use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails::{MemoryQuery, RecalledMemory};
use exo_rails_guards::{DataFlow, config};
use serde_json::{Value, json};

rail_chain! { pub(crate) struct Rails { pub(crate) data_flow: DataFlow } }

/// A run with the guard.
pub(crate) struct Run {
    pub(crate) rails: Rails,
    pub(crate) ctx: RunContext,
}

/// The output of a call that ran.
pub(crate) const RAN: &str = "ran";

pub(crate) fn rails(text: &str) -> Rails {
    Rails { data_flow: DataFlow::new(config::from_toml(text).unwrap()).unwrap() }
}

/// A run with a web source and a sink of all arguments, and further keys.
pub(crate) fn web(keys: &str) -> Run {
    Run::new(&format!(
        "{keys}
         [[sources]]
         tool = 'fetch'
         label = 'web'
         [[sinks]]
         name = 'sink'
         tool = 'send'
         [[sanitizers]]
         tool = 'check'
         arguments = '/value'"
    ))
}

impl Run {
    pub(crate) fn new(text: &str) -> Self {
        Self { rails: rails(text), ctx: RunContext::new("test") }
    }

    /// Lets a tool return an output, and returns what the model reads.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value, output: &str) -> String {
        let call = ToolCallInputs::new(tool).with_arguments(arguments);
        let output = output.to_owned();
        let tool = |_| {
            let output = output.clone();
            async { Ok::<_, OperationError>(ToolOutput::text(output)) }
        };
        self.rails.guard_tool_call(call, &mut self.ctx, tool).await.unwrap().content
    }

    pub(crate) async fn read(&mut self, output: &str) {
        self.call("fetch", json!({}), output).await;
    }

    /// Returns the reason for which a call is refused.
    pub(crate) async fn refusal(&mut self, tool: &str, arguments: Value) -> Option<String> {
        let output = self.call(tool, arguments, RAN).await;
        (output != RAN).then_some(output)
    }

    pub(crate) async fn refuses(&mut self, text: &str) -> bool {
        self.refusal("send", json!({ "text": text })).await.is_some()
    }

    pub(crate) async fn user(&mut self, text: &str) {
        let mut input = InvokeInputs::new(text);
        let _ = self.rails.dispatch::<Start>(&mut input, &mut self.ctx).await.unwrap();
    }

    pub(crate) async fn system(&mut self, text: &str) {
        let mut call = ModelCallInputs::new([Message::system(text)]);
        let _ = self.rails.dispatch::<PreLlmCall>(&mut call, &mut self.ctx).await.unwrap();
    }

    pub(crate) async fn memory(&mut self, text: &str) {
        let mut memory = RecalledMemory::from(vec![text]);
        let event = (&MemoryQuery::new("", 1), &mut memory);
        let _ = self.rails.dispatch::<MemoryRecalled>(event, &mut self.ctx).await.unwrap();
    }
}
