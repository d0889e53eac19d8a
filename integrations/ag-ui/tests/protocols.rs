//! Requests and replies in the forms of AG-UI and MCP.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use exo_rails::prelude::*;
use exo_rails_ag_ui::mcp::{ElicitParams, ElicitResult};
use exo_rails_ag_ui::{Interrupt, Outcome, ResumeEntry, RunFinished, replies};
use exo_rails_agent::{Agent, ScriptedModel};
use exo_rails_guards::approval::{
    ApprovalRequest, ChangedCalls, Desk, Inbox, OnTimeout, Remember, Reply, UserAnswer, UserQuestion, ask_user,
};
use exo_rails_guards::store::MemoryStore;
use exo_rails_guards::{Approval, config};
use serde_json::{Value, from_value, json};

fn pay(to: &str) -> ToolCallInputs {
    ToolCallInputs::new("pay").with_arguments(json!({ "to": to }))
}

/// The id of the interrupt for [`request`].
fn id() -> String {
    Interrupt::from(&request()).id
}

fn request() -> ApprovalRequest {
    let call = ToolCallInputs { id: "tc-42".into(), ..pay("ada") };
    let mut request =
        ApprovalRequest::new("approval", "rule-1", &call, "money", &RunContext::new("desk").with_run_id("run-10"));
    request.expires_in_ms = Some(90_000);
    request.on_timeout = Some(OnTimeout::Suspend);
    request
}

fn question(only_choices: bool) -> UserQuestion {
    from_value(json!({
        "id": "q-1", "call_id": "tc-7", "agent": "desk", "question": "Which?", "choices": ["red", "blue"],
        "only_choices": only_choices,
    }))
    .unwrap()
}

fn all_replies() -> [Reply; 6] {
    [
        Reply::ApproveOnce,
        Reply::ApproveForSession,
        Reply::ApproveForever,
        Reply::Deny { reason: None },
        Reply::deny("not today"),
        Reply::Change { arguments: json!({ "to": "bob", "items": [1, { "a": null }] }) },
    ]
}

/// Through the text of the protocol and back.
fn wire<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn nothing_is_lost_in_ag_ui() {
    let request = request();
    let interrupt = wire(&Interrupt::from(&request));
    assert_eq!(ApprovalRequest::try_from(&interrupt).unwrap(), request);
    for reply in all_replies() {
        let entry = wire(&ResumeEntry::reply(&request, &reply));
        assert_eq!(entry.to_reply(&request).unwrap(), reply);
    }
    for question in [question(true), question(false)] {
        let interrupt = wire(&Interrupt::from(&question));
        assert_eq!(UserQuestion::try_from(&interrupt).unwrap(), question);
        for answer in [UserAnswer::text("red"), UserAnswer::Declined] {
            assert_eq!(wire(&ResumeEntry::answer(&question, &answer)).to_answer(&question).unwrap(), answer);
        }
    }
}

#[test]
fn nothing_is_lost_in_mcp() {
    let request = request();
    let params = wire(&ElicitParams::from(&request));
    assert_eq!(ApprovalRequest::try_from(&params).unwrap(), request);
    for reply in all_replies() {
        assert_eq!(wire(&ElicitResult::from(&reply)).to_reply(&request).unwrap(), reply);
    }
    for question in [question(true), question(false)] {
        assert_eq!(UserQuestion::try_from(&wire(&ElicitParams::from(&question))).unwrap(), question);
        for answer in [UserAnswer::text("red"), UserAnswer::Declined] {
            assert_eq!(wire(&ElicitResult::from(&answer)).to_answer(&question).unwrap(), answer);
        }
    }
}

#[test]
fn an_interrupt_has_the_form_of_ag_ui() {
    let asked = SystemTime::UNIX_EPOCH + Duration::from_hours(500_000);
    let request = request().with_remember([Remember::Session]);
    let event = RunFinished::interrupted("thread-2", "run-10", [Interrupt::from(&request).asked_at(asked, &request)]);
    let mut event = json!(event);
    let interrupt = &mut event["outcome"]["interrupts"][0];
    let metadata = interrupt.as_object_mut().unwrap().remove("metadata").unwrap();
    assert_eq!(metadata["exo-rails"]["approval"]["arguments"], json!({ "to": "ada" }));
    let schema = interrupt.as_object_mut().unwrap().remove("responseSchema").unwrap();
    assert_eq!(
        (&schema["required"], &schema["properties"]["editedArgs"]["type"]),
        (&json!(["approved"]), &json!("object"))
    );
    assert_eq!(schema["properties"]["remember"]["enum"], json!(["session"]));
    assert_eq!(
        event,
        json!({
            "type": "RUN_FINISHED",
            "threadId": "thread-2",
            "runId": "run-10",
            "outcome": { "type": "interrupt", "interrupts": [{
                "id": Interrupt::from(&request).id,
                "reason": "tool_call",
                "message": r#"`pay` with {"to":"ada"}: money (approval/rule-1)"#,
                "toolCallId": "tc-42",
                "expiresAt": "2027-01-15T08:01:30.000Z",
            }] },
        })
    );
    // No model made the call, so there is no tool call to bind to.
    let call = ApprovalRequest::new("approval", "rule", &pay("ada"), "money", &RunContext::new("desk"));
    assert_eq!((Interrupt::from(&call).reason.as_str(), Interrupt::from(&call).tool_call_id), ("confirmation", None));
}

/// The examples of the documentation of AG-UI: ag-ui-protocol/ag-ui (MIT), docs/concepts/interrupts.mdx, commit 28ac3c5.
#[test]
fn recorded_examples_of_ag_ui_are_read() {
    let recorded = json!({
        "type": "RUN_FINISHED",
        "threadId": "thread-2",
        "runId": "run-10",
        "outcome": { "type": "interrupt", "interrupts": [{
            "id": "int-email-edit",
            "reason": "tool_call",
            "message": "Send email to a@b.com? You can edit the body before approving.",
            "toolCallId": "tc-42",
            "responseSchema": {
                "type": "object",
                "properties": { "approved": { "type": "boolean" }, "editedArgs": { "type": "object" } },
                "required": ["approved"],
            },
            "metadata": { "langgraph": { "checkpointId": "ckpt-xyz", "nodeId": "tool_executor" } },
        }] },
    });
    let event: RunFinished = from_value(recorded.clone()).unwrap();
    assert_eq!(json!(event), recorded);
    let Some(Outcome::Interrupt { interrupts }) = event.outcome else { panic!("an interrupt") };
    let error = ApprovalRequest::try_from(&interrupts[0]).unwrap_err();
    assert_eq!(error.to_string(), "the interrupt `int-email-edit` has no request under `exo-rails` in its metadata");
    let plain: RunFinished =
        from_value(json!({ "type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": { "type": "success" } }))
            .unwrap();
    assert_eq!(plain.outcome, Some(Outcome::Success));
    assert!(from_value::<RunFinished>(json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" })).is_err());

    let resume = |payload: Value| {
        from_value::<ResumeEntry>(json!({ "interruptId": id(), "status": "resolved", "payload": payload })).unwrap()
    };
    assert_eq!(resume(json!({ "approved": true })).to_reply(&request()).unwrap(), Reply::ApproveOnce);
    let edited = json!({ "to": "a@b.com", "subject": "Hi", "body": "Hi (revised per my note)" });
    assert_eq!(
        resume(json!({ "approved": true, "editedArgs": edited })).to_reply(&request()).unwrap(),
        Reply::Change { arguments: edited }
    );
    assert_eq!(resume(json!({ "approved": false })).to_reply(&request()).unwrap(), Reply::Deny { reason: None });
    let cancelled = json!({ "interruptId": id(), "status": "cancelled", "metadata": { "k": null } });
    let cancelled: ResumeEntry = from_value(cancelled).unwrap();
    assert_eq!(cancelled.to_reply(&request()).unwrap(), Reply::deny("the person has cancelled the request"));
}

/// The form of the examples in the specification of MCP: modelcontextprotocol/modelcontextprotocol (MIT),
/// docs/specification/2025-11-25/client/elicitation.mdx, commit 1c0765a.
#[test]
fn recorded_examples_of_mcp_are_read() {
    let recorded = json!({
        "mode": "form",
        "message": "Please provide your GitHub username",
        "requestedSchema": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] },
    });
    let params: ElicitParams = from_value(recorded.clone()).unwrap();
    assert_eq!(json!(params), recorded);
    assert!(ApprovalRequest::try_from(&params).is_err());
    assert!(from_value::<ElicitParams>(json!({ "mode": "url", "message": "m", "url": "https://x" })).is_err());
    for (result, reply) in [
        (json!({ "action": "decline" }), Reply::Deny { reason: None }),
        (json!({ "action": "cancel" }), Reply::deny("the person has closed the request")),
        (json!({ "action": "accept", "content": { "decision": "deny", "reason": "" } }), Reply::Deny { reason: None }),
    ] {
        assert_eq!(from_value::<ElicitResult>(result).unwrap().to_reply(&request()).unwrap(), reply);
    }
    // A form is flat: all fields are texts or choices.
    for schema in
        [ElicitParams::from(&request()).requested_schema, ElicitParams::from(&question(true)).requested_schema]
    {
        for (name, field) in schema["properties"].as_object().unwrap() {
            assert_eq!(field["type"], "string", "{name}");
        }
    }
}

/// What does not clearly approve is an error, and lets nothing run.
#[test]
fn unclear_replies_are_errors() {
    for payload in [
        json!(null),
        json!(true),
        json!({}),
        json!({ "approved": "true" }),
        json!({ "approved": 1 }),
        json!([true]),
        json!({ "approved": false, "editedArgs": {} }),
        json!({ "approved": true, "reason": "no" }),
        json!({ "approved": false, "remember": "forever" }),
        json!({ "approved": true, "remember": "always" }),
        json!({ "approved": true, "editedArgs": {}, "remember": "session" }),
        json!({ "approved": true, "editedArgs": "{}" }),
        json!({ "approved": true, "Approved": false }),
        json!({ "approve": true }),
        json!({ "reply": "approve_once" }),
    ] {
        let entry = json!({ "interruptId": id(), "status": "resolved", "payload": payload });
        let entry: ResumeEntry = from_value(entry).unwrap();
        assert!(entry.to_reply(&request()).is_err(), "{payload}");
    }
    for content in [
        json!(null),
        json!({}),
        json!({ "decision": "approve" }),
        json!({ "decision": "APPROVE_ONCE" }),
        json!({ "decision": true }),
        json!({ "decision": "approve_once", "reason": "no" }),
        json!({ "decision": "approve_once", "arguments": "{}" }),
        json!({ "decision": "change" }),
        json!({ "decision": "change", "arguments": "[]" }),
        json!({ "decision": "change", "arguments": "{" }),
        json!({ "decision": "change", "arguments": {} }),
        json!({ "decision": "deny", "arguments": "{}" }),
        json!({ "approved": true }),
    ] {
        let result: ElicitResult = from_value(json!({ "action": "accept", "content": content })).unwrap();
        assert!(result.to_reply(&request()).is_err(), "{content}");
    }
    // What the request does not offer.
    let strict = request().with_remember([]);
    assert!(ResumeEntry::reply(&strict, &Reply::ApproveForever).to_reply(&strict).is_err());
    assert!(ElicitResult::from(&Reply::ApproveForSession).to_reply(&strict).is_err());
    assert!(!json!(Interrupt::from(&strict)).to_string().contains("\"remember\":{"));
    assert!(!ElicitParams::from(&strict).requested_schema.to_string().contains("approve_forever"));
    let error = ElicitResult::from(&UserAnswer::text("green")).to_answer(&question(true)).unwrap_err();
    assert_eq!(error.to_string(), "`green` is not one of the choices: red, blue");
}

#[test]
fn resume_responds_to_all_open_interrupts() {
    let (first, mut second) = (request(), request());
    second.id = "run-10/desk/0.1/approval".to_owned();
    let open = [first.clone(), second.clone()];
    let (yes, no) = (ResumeEntry::reply(&first, &Reply::ApproveOnce), ResumeEntry::reply(&second, &Reply::deny("no")));
    let read = replies(&open, &[no.clone(), yes.clone()]).unwrap();
    assert_eq!(read, [(first.id.clone(), Reply::ApproveOnce), (second.id.clone(), Reply::deny("no"))]);
    let error = |resume: &[ResumeEntry]| replies(&open, resume).unwrap_err().to_string();
    assert_eq!(
        error(std::slice::from_ref(&yes)),
        format!(
            "the open interrupt `{}` has no entry in `resume`: respond to all open interrupts at once",
            no.interrupt_id
        )
    );
    assert_eq!(
        error(&[yes.clone(), no.clone(), yes.clone()]),
        format!("the interrupt `{}` has several entries in `resume`: write one", yes.interrupt_id)
    );
    let mut other = no.clone();
    other.interrupt_id = "int-9".to_owned();
    assert_eq!(error(&[yes.clone(), no, other]), "the interrupt `int-9` is not open");
    assert!(yes.to_reply(&second).is_err());
}

/// The person sees one request. What has the same id, and is not what the person saw, gets no reply.
#[test]
fn an_entry_answers_only_what_the_person_saw() {
    let shown = request();
    let yes = ResumeEntry::reply(&shown, &Reply::ApproveOnce);
    let changes: [fn(&mut ApprovalRequest); 6] = [
        |request| request.agent = "thief".to_owned(),
        |request| request.tool_name = "wire".to_owned(),
        |request| request.arguments = json!({ "to": "eve" }),
        |request| request.arguments = json!({ "to": ["ada"] }),
        |request| request.rule = "rule-2".into(),
        |request| request.reason = "nothing much".into(),
    ];
    for change in changes {
        let mut other = shown.clone();
        change(&mut other);
        assert_eq!(other.id, shown.id);
        assert!(yes.to_reply(&other).is_err(), "{other:?}");
        let error = |open: &[ApprovalRequest]| replies(open, std::slice::from_ref(&yes)).unwrap_err().to_string();
        assert!(error(&[other.clone()]).ends_with("is not open"), "{other:?}");
        // Two agents ask at the same time.
        assert!(error(&[shown.clone(), other.clone()]).contains("has no entry in `resume`"), "{other:?}");
        assert!(error(&[other.clone(), shown.clone()]).contains("has no entry in `resume`"), "{other:?}");
    }
    let twice = [shown.clone(), shown];
    let error = replies(&twice, &[yes]).unwrap_err().to_string();
    assert!(error.starts_with("two open requests are equal"), "{error}");
}

#[test]
fn an_answer_to_a_question_is_bound_to_its_text() {
    let (asked, mut other) = (question(false), question(false));
    other.question = "Shall I pay?".to_owned();
    assert!(ResumeEntry::answer(&asked, &UserAnswer::text("red")).to_answer(&other).is_err());
}

rail_chain! {
    struct Guarded { changed_calls: ChangedCalls, approval: Approval }
}

/// The whole way: a suspended run, an interrupt, a resume entry, the resumed run.
#[tokio::test]
async fn a_run_goes_through_ag_ui() {
    let inbox = Inbox::new(Arc::new(MemoryStore::new()));
    let approval = config::from_toml("[[rules]]\ntool = 'pay'\nbecause = 'money'").unwrap();
    let approval = Approval::new(approval).unwrap().with_asker(Arc::new(inbox.clone()));
    let rails = Guarded { changed_calls: ChangedCalls, approval };
    let paid = Mutex::new(Vec::new());
    let run = async || {
        let tool = async |call: Permit<ToolCallInputs>| {
            paid.lock().unwrap().push(call.arguments.clone());
            Ok::<_, OperationError>(ToolOutput::text("done"))
        };
        rails.guard_tool_call(pay("ada"), &mut RunContext::new("desk").with_run_id("run-1"), tool).await
    };
    assert!(run().await.is_err());

    let open = inbox.open().await.unwrap();
    let event = RunFinished::interrupted("thread-1", "run-1", open.iter().map(|open| Interrupt::from(&open.request)));
    let id = json!(event)["outcome"]["interrupts"][0]["id"].clone();
    let payload = json!({ "approved": true, "editedArgs": { "to": "bob" } });
    let resume = from_value(json!([{ "interruptId": id, "status": "resolved", "payload": payload }])).unwrap();
    let resume: Vec<ResumeEntry> = resume;
    let requests: Vec<_> = open.iter().map(|open| open.request.clone()).collect();
    for ((_, reply), open) in replies(&requests, &resume).unwrap().into_iter().zip(&open) {
        inbox.reply(open, reply).await.unwrap();
    }
    run().await.unwrap();
    assert_eq!(*paid.lock().unwrap(), [json!({ "to": "bob" })]);
}

/// A question of the model goes to a client of MCP.
#[tokio::test]
async fn a_question_goes_through_mcp() {
    let desk = Desk::new();
    let mut front_end = desk.front_end();
    tokio::spawn(async move {
        let pending = front_end.next().await.unwrap();
        let question = pending.question().unwrap();
        let params = json!(ElicitParams::from(question));
        assert_eq!(params["requestedSchema"]["properties"]["answer"]["enum"], json!(["red", "blue"]));
        let result: ElicitResult = from_value(json!({ "action": "accept", "content": { "answer": "blue" } })).unwrap();
        pending.reply(result.to_answer(question).unwrap()).unwrap();
    });
    let arguments = json!({ "question": "Which?", "choices": ["red", "blue"], "only_choices": true });
    let script = json!([{ "call": [{ "tool": "ask_user", "arguments": arguments }] }, { "say": "ok" }]).to_string();
    let agent = Agent::builder("asker", script.parse::<ScriptedModel>().unwrap()).tool(ask_user(desk.clone())).build();
    assert_eq!(agent.run("go").await.unwrap().messages[2].text(), "blue");
}
