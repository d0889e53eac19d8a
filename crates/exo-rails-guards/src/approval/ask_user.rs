//! A tool with which the model asks the user a question.

use exo_rails::{OperationError, Permit, Tool, ToolCallInputs, ToolOutput};
use serde::Deserialize;
use serde_json::json;

use super::question::{CHOICE, UserAnswer, UserQuestion};
use super::request::place;
use super::{Desk, Request, Response};

/// The largest question of a model.
const QUESTION: usize = 4_000;
const CHOICES: usize = 20;

/// The arguments of the tool.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    question: String,
    #[serde(default)]
    choices: Vec<String>,
    #[serde(default)]
    only_choices: bool,
}

/// Makes the tool `ask_user`: the model asks the user a question, and the answer is the output of the tool.
///
/// The question goes to a front end of the [`Desk`], on the same channel as the requests for approvals. If nobody answers
/// within the [time of the desk](Desk::with_timeout), or if the front end vanishes, the output says so, and the model goes on.
/// The guards of the agent judge the call as they judge every tool call.
///
/// A question has at most 4,000 characters, and at most 20 choices of 200 characters.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_agent::{Agent, ScriptedModel};
/// use exo_rails_guards::approval::{Desk, UserAnswer, ask_user};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model: ScriptedModel = r#"[
///     { "call": [{ "tool": "ask_user", "arguments": { "question": "Which branch?", "choices": ["main", "next"] } }] },
///     { "say": "I take this branch." }
/// ]"#.parse()?;
/// let desk = Desk::new();
/// let agent = Agent::builder("release", model).tool(ask_user(desk.clone())).build();
///
/// let mut front_end = desk.front_end();
/// tokio::spawn(async move {
///     while let Some(pending) = front_end.next().await {
///         let Some(question) = pending.question() else { continue };
///         let answer = question.choices.last().cloned().unwrap_or_default();
///         pending.reply(UserAnswer::text(answer)).expect("the run waits");
///     }
/// });
/// let output = agent.run("Release the program.").await?;
/// assert_eq!(output.messages[2].text(), "next");
/// # Ok(()) }
/// ```
#[must_use]
pub fn ask_user(desk: Desk) -> Tool {
    let parameters = json!({
        "type": "object",
        "properties": {
            "question": { "type": "string", "description": "The question, in full.", "maxLength": QUESTION },
            "choices": {
                "type": "array",
                "items": { "type": "string", "maxLength": CHOICE },
                "maxItems": CHOICES,
                "description": "Answers from which the user can choose.",
            },
            "only_choices": { "type": "boolean", "description": "Whether the answer must be one of the choices." },
        },
        "required": ["question"],
        "additionalProperties": false,
    });
    let description = "Asks the user a question, and waits for the answer. Use it if only the user can know or decide.";
    Tool::with_permit("ask_user", description, parameters, move |call| {
        let desk = desk.clone();
        async move { Ok::<_, OperationError>(ask(&desk, &call).await) }
    })
}

async fn ask(desk: &Desk, call: &Permit<ToolCallInputs>) -> ToolOutput {
    let question = match question(call) {
        Ok(question) => question,
        Err(problem) => return ToolOutput::error(problem),
    };
    match desk.send(Request::Question(question), None).await {
        Ok(Response::Answer(UserAnswer::Text(answer))) => ToolOutput::text(answer),
        Ok(_) => ToolOutput::error("The user does not want to answer the question."),
        Err(unanswered) => ToolOutput::error(format!("There is no answer: {unanswered}. Go on without it.")),
    }
}

/// Reads the question, or says to the model what is wrong.
fn question(call: &Permit<ToolCallInputs>) -> Result<UserQuestion, String> {
    if !call.arguments.is_object() {
        return Err("write the arguments as an object with the field `question`".to_owned());
    }
    let Arguments { question, choices, only_choices } = serde_json::from_value(call.arguments.clone())
        .map_err(|error| format!("the arguments cannot be read: {error}"))?;
    if question.trim().is_empty() {
        return Err("`question` is empty: write the question".to_owned());
    }
    if question.chars().count() > QUESTION {
        return Err(format!("`question` is too long: write at most {QUESTION} characters"));
    }
    if choices.len() > CHOICES || choices.iter().any(|choice| choice.chars().count() > CHOICE) {
        return Err(format!("`choices` are too long: write at most {CHOICES} choices of {CHOICE} characters"));
    }
    if only_choices && choices.is_empty() {
        return Err("`only_choices` is true, but there are no `choices`: write the choices".to_owned());
    }
    let ctx = call.context();
    Ok(UserQuestion {
        id: format!("{}/{}/ask_user/{}", ctx.run_id(), place(ctx.turn(), ctx.step()), call.id),
        call_id: call.id.clone(),
        agent: ctx.agent().to_owned(),
        question,
        choices,
        only_choices,
    })
}
