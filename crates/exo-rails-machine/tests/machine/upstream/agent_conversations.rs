//! What agents said at each node, and what it cost.

use exo_rails::message::Usage;
use exo_rails::prelude::*;
use exo_rails_machine::Executor;
use serde_json::json;

use crate::helper::Answers;

const FILE: &str =
    "Task plan { prompt: \"Plan it\"; } Task check { prompt: \"Check it\"; } End done; plan -> check -> done;";

/// Each node has its own conversation, and the history has all of them. There, tokens are an estimate; here, they are those of the
/// model.
#[tokio::test]
async fn each_node_has_its_conversation_in_the_history() {
    let model = Answers::new(|request: &ModelCallInputs| {
        let mut answer = ModelResponse::text(format!("answer to {} messages", request.messages.len()));
        let mut usage = Usage::default();
        (usage.prompt_tokens, usage.completion_tokens) = (10, 2);
        answer.usage = Some(usage);
        answer
    });
    let machine = exo_rails_dygram::read("flow.dygram", FILE).into_result().unwrap();
    let executor = Executor::builder(&machine, model).build().unwrap();
    // Nothing is left from one execution to the next.
    for _ in 0..2 {
        let history = executor.run().await.unwrap().history;
        let invocations: Vec<_> = history.steps.iter().filter_map(|step| step.agent_invocation.as_ref()).collect();
        let prompts: Vec<_> = invocations.iter().map(|invocation| invocation.user_prompt.as_str()).collect();
        assert_eq!(prompts, ["Plan it", "Check it"]);
        for (invocation, node) in invocations.iter().zip(["plan", "check"]) {
            assert!(invocation.system_prompt.contains(&format!("**{node}**")), "{}", invocation.system_prompt);
            let said: Vec<_> =
                invocation.conversation_history.iter().map(|said| (&*said.role, &*said.content)).collect();
            // The system message, and the prompt of this node only.
            assert_eq!(said, [("user", prompts_of(node)), ("assistant", "answer to 2 messages")]);
            assert_eq!((invocation.token_usage.input, invocation.token_usage.output), (10, 2));
        }
        assert_eq!((history.summary.total_tokens, history.summary.total_steps), (24, 3));
        assert_eq!(json!(history)["steps"][0]["agentInvocation"]["tokenUsage"], json!({ "input": 10, "output": 2 }));
    }
}

fn prompts_of(node: &str) -> &'static str {
    if node == "plan" { "Plan it" } else { "Check it" }
}
