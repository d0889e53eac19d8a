//! Rails that ask questions: about transitions, and about the work of agents on several paths.

use std::sync::{Arc, Mutex};

use exo_rails::message::Role;
use exo_rails::prelude::*;
use exo_rails::{KeptValues, OpenQuestion};
use exo_rails_agent::NotOpen;
use exo_rails_guards::approval::ApprovalRequest;
use exo_rails_machine::{
    Executor, MachineError, MachineState, PreTransition, Stopped, Transition, TransitionRecord, TransitionRequest,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::helper::{Answers, call, calls, machine, recorded, say, take, trace};

/// Asks about each way to a node whose name begins with `asked`.
#[rail(priority = 20, on = [PreTransition])]
fn asks(request: &TransitionRequest, ctx: &RailContext) -> Result<RailAction<TransitionRecord>, serde_json::Error> {
    if !request.to.starts_with("asked") {
        return Ok(RailAction::Continue);
    }
    let question = ctx.question(format!("go to {}?", request.to)).with_data(&request.reason);
    Ok(match ctx.answer_to(&question)? {
        None => RailAction::suspend(question),
        Some(true) => RailAction::Continue,
        Some(false) => RailAction::skip("a person said no"),
    })
}

/// Notes what the rails of `Suspended` see.
#[derive(Clone, Default)]
struct Notified(Arc<Mutex<Vec<String>>>);

#[rail]
impl Notified {
    #[on(Suspended)]
    fn waits(&self, open: &OpenQuestion) {
        self.0.lock().unwrap().push(format!("{}: {}", open.rail_name, open.question.text));
    }
}

rail_chain! {
    #[chain(operations = [Transition])]
    struct Asking { asks, notified: Notified }
}

fn rails() -> Asking {
    Asking { notified: Notified::default() }
}

/// Saves the state and reads it again, as another process would.
fn stored(stopped: &Stopped) -> MachineState {
    serde_json::from_str(&serde_json::to_string(&stopped.state).unwrap()).unwrap()
}

fn ids(state: &MachineState) -> Vec<String> {
    state.questions().map(|asked| asked.id).collect()
}

/// The file, the script, the nodes of the questions, and the steps if each answer is yes.
#[tokio::test]
async fn a_rail_asks_about_every_kind_of_transition() {
    let spawn = call("spawn_async_to_asked", json!({ "reason": "r" }));
    let map = call("map_spawn_to_asked", json!({ "reason": "r" }));
    let cases: [(&str, Value, &[&str], &[&str]); 8] = [
        ("State s; End asked; s -> asked;", json!([]), &["s"], &["s", "asked"]),
        ("State s; End asked; End b; s -when: \"true\"-> asked; s -> b;", json!([]), &["s"], &["s", "asked"]),
        (
            "Task s { prompt: \"x\"; } End asked; End b; s -> asked, b;",
            json!([take("asked")]),
            &["s"],
            &["s*", "asked"],
        ),
        (
            "State s; State asked1; State asked2; s -@parallel-> asked1; s -@parallel-> asked2;",
            json!([]),
            &["s", "s"],
            &["s", "asked1", "asked2"],
        ),
        ("State s; End asked; End b; s -@async-> asked; s -> b;", json!([]), &["s"], &["s", "asked", "b"]),
        (
            "Task s { prompt: \"x\"; } End asked; End b; s -@async-> asked; s -> b;",
            json!([spawn, say("done")]),
            &["s"],
            &["s", "asked", "b"],
        ),
        (
            "Context c { l: [1, 2]; } State s; End asked; s -@map(c.l)-> asked; s -reads-> c;",
            json!([]),
            &["s"],
            &["s", "asked", "asked"],
        ),
        (
            "Context c { l: [1, 2]; } State s; State first; State second; End asked; s -@parallel-> first, second; first -> asked; second -> asked;",
            json!([]),
            &["first", "second"],
            &["s", "first", "second", "asked", "asked"],
        ),
    ];
    for (file, script, asked, steps) in cases {
        let rails = rails();
        let notified = rails.notified.clone();
        let (builder, model) = recorded(file, &script.to_string());
        let executor = builder.rails(rails).build().unwrap();
        let mut stopped = executor.run().await.expect_err(file);
        let mut nodes = Vec::new();
        let done = loop {
            assert!(matches!(stopped.error, MachineError::Suspended { .. }), "{file}: {stopped}");
            let mut state = stored(&stopped);
            for id in ids(&state) {
                nodes.push(state.questions().find(|asked| asked.id == id).unwrap().node.to_owned());
                state.answer(&id, true).unwrap();
                let again = state.answer(&id, true).unwrap_err();
                assert!(matches!(again, NotOpen::Question { .. }), "an answer is given once");
            }
            match executor.resume(state).unwrap().run().await {
                Ok(done) => break done,
                Err(error) => stopped = error,
            }
        };
        assert_eq!(nodes, asked, "{file}");
        assert_eq!(trace(&done.history), steps, "{file}");
        assert_eq!(notified.0.lock().unwrap().len(), asked.len(), "{file}: each question is reported once");
        assert!(notified.0.lock().unwrap()[0].starts_with("asks: go to asked"));
        assert_eq!(model.tools().len(), script.as_array().unwrap().len(), "{file}: no model call is repeated");
    }
    // An agent that chooses `@map` does so only if another edge is there.
    let file = "Context c { l: [1, 2]; } Task s { prompt: \"x\"; } End asked; s -@map(c.l)-> asked; s -reads-> c;";
    let executor = machine(file, &json!([map]).to_string()).rails(rails()).build().unwrap();
    let mut state = stored(&executor.run().await.unwrap_err());
    state.answer(&ids(&state)[0], true).unwrap();
    let done = executor.resume(state).unwrap().run().await.unwrap();
    assert_eq!(trace(&done.history), ["s*", "asked", "asked"]);
}

#[tokio::test]
async fn without_an_answer_the_machine_waits_again() {
    let executor = machine("State s; End asked; s -> asked;", "[]").rails(rails()).build().unwrap();
    let stopped = executor.run().await.unwrap_err();
    let stopped = executor.resume(stored(&stopped)).unwrap().run().await.unwrap_err();
    assert!(matches!(&stopped.error, MachineError::Suspended { node, .. } if node == "s"));
    assert_eq!(ids(&stopped.state).len(), 1);
    let wrong = stopped.state.clone().answer("7/0.0.pre_transition", true).unwrap_err();
    assert!(wrong.to_string().contains(&ids(&stopped.state)[0]), "{wrong}");
}

#[tokio::test]
async fn a_refusal_by_a_person_counts_as_a_refusal_by_the_rail() {
    // The model reads why, and chooses again.
    let file = "Task s { prompt: \"x\"; } End asked; End b; s -> asked, b;";
    let (builder, model) = recorded(file, &json!([take("asked"), take("b")]).to_string());
    let executor = builder.rails(rails()).build().unwrap();
    let mut state = stored(&executor.run().await.unwrap_err());
    state.answer(&ids(&state)[0], false).unwrap();
    let done = executor.resume(state).unwrap().run().await.unwrap();
    assert_eq!(trace(&done.history), ["s*", "b"]);
    let last = model.requests.lock().unwrap()[1].messages.last().unwrap().text().into_owned();
    assert!(last.contains("a person said no"), "{last}");

    // A path that the agent wanted to start does not start.
    let file = "Task s { prompt: \"x\"; } End asked; End b; s -@async-> asked; s -> b;";
    let script = json!([call("spawn_async_to_asked", json!({ "reason": "r" })), say("done")]);
    let executor = machine(file, &script.to_string()).rails(rails()).build().unwrap();
    let mut state = stored(&executor.run().await.unwrap_err());
    state.answer(&ids(&state)[0], false).unwrap();
    assert_eq!(trace(&executor.resume(state).unwrap().run().await.unwrap().history), ["s", "b"]);

    // An automatic transition has no other way.
    let executor = machine("State s; End asked; s -> asked;", "[]").rails(rails()).build().unwrap();
    let mut state = stored(&executor.run().await.unwrap_err());
    state.answer(&ids(&state)[0], false).unwrap();
    let stopped = executor.resume(state).unwrap().run().await.unwrap_err();
    assert!(stopped.to_string().contains("a person said no"), "{stopped}");
}

#[derive(Default, Serialize, Deserialize)]
struct Calls(u32);

/// Counts the calls of the whole machine, and asks a person about each.
#[rail(priority = 30, on = [PreToolCall], tool = "pay")]
fn asks_and_counts(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    let question = ctx.question("pay?").with_data(&call.arguments);
    if ctx.answer_to::<bool>(&question)?.is_none() {
        return Ok(RailAction::suspend(question));
    }
    let calls = ctx.run.update(|calls: &mut Calls| {
        calls.0 += 1;
        calls.0
    });
    Ok(if calls > 3 { RailAction::abort("three payments are enough") } else { RailAction::Continue })
}

/// Two paths ask the same question at the same time. Each answer is for one of them, and what the rails count for the whole machine
/// does not go back when a path continues later than another one.
#[tokio::test]
async fn waiting_paths_have_their_own_questions_and_share_counts_of_rails() {
    let file =
        "State s; Task a { prompt: \"x\"; } Task b { prompt: \"x\"; } End e; s -@parallel-> a, b; a -> e; b -> e;";
    // Each path pays two times.
    let model = Answers::new(|request: &ModelCallInputs| {
        match request.messages.iter().filter(|message| message.role == Role::Tool).count() {
            0 | 1 => calls("pay", json!({ "bill": 7 })),
            _ => ModelResponse::text("done"),
        }
    });
    for concurrent in [1, 2] {
        let file = format!("machine \"M\" @concurrent({concurrent})\n{file}");
        let paid = Arc::new(Mutex::new(0));
        let tool = {
            let paid = Arc::clone(&paid);
            Tool::new("pay", "Pays.", json!({ "type": "object" }), move |_: Value| {
                *paid.lock().unwrap() += 1;
                async { Ok::<_, OperationError>("paid") }
            })
        };
        let rails = rail_chain![
            #[chain(operations = [Transition])]
            asks_and_counts
        ];
        let machine = exo_rails_dygram::read("flow.dygram", &file).machine;
        let kept = KeptValues::new().keep::<Calls>("calls");
        let executor =
            Executor::builder(&machine, model.clone()).tool(tool).rails(rails).kept_values(kept).build().unwrap();
        let mut result = executor.run().await;
        let mut most_at_once = 0;
        let mut answered = 0;
        let counted = loop {
            let stopped = match result {
                Ok(done) => break done.state,
                Err(stopped) => stopped,
            };
            assert!(matches!(stopped.error, MachineError::Suspended { .. }), "{stopped}");
            let mut state = stored(&stopped);
            let open = ids(&state);
            let different: std::collections::BTreeSet<_> = open.iter().collect();
            assert_eq!(different.len(), open.len(), "each question has its id: {open:?}");
            most_at_once = most_at_once.max(open.len());
            for id in open {
                state.answer(&id, true).unwrap();
                answered += 1;
            }
            result = executor.resume(state).unwrap().run().await;
            if answered >= 4 {
                break *result.expect_err("the fourth payment ends the machine").state;
            }
        };
        assert_eq!(most_at_once, concurrent);
        assert_eq!((answered, *paid.lock().unwrap()), (4, 3), "@concurrent({concurrent})");
        assert_eq!(counted.status(), exo_rails_machine::Status::Error);
    }
}

/// Asks a person about each call.
#[rail(priority = 30, on = [PreToolCall], tool = "pay")]
fn asks_to_pay(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
    let question = ctx.question("pay?").with_data(&call.arguments);
    Ok(if ctx.answer_to::<bool>(&question)? == Some(true) {
        RailAction::Continue
    } else {
        RailAction::suspend(question)
    })
}

#[tokio::test]
async fn an_answer_to_one_path_does_not_answer_another_path() {
    let file =
        "State s; Task a { prompt: \"x\"; } Task b { prompt: \"x\"; } End e; s -@parallel-> a, b; a -> e; b -> e;";
    let model = Answers::new(|request: &ModelCallInputs| {
        let has_paid = request.messages.iter().any(|message| message.role == Role::Tool);
        if has_paid { ModelResponse::text("done") } else { calls("pay", json!({ "bill": 7 })) }
    });
    for answered in [0, 1] {
        let paid = Arc::new(Mutex::new(0));
        let tool = {
            let paid = Arc::clone(&paid);
            Tool::new("pay", "Pays.", json!({ "type": "object" }), move |_: Value| {
                *paid.lock().unwrap() += 1;
                // The other path goes on while this one pays.
                async {
                    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                    Ok::<_, OperationError>("paid")
                }
            })
        };
        let rails = rail_chain![
            #[chain(operations = [Transition])]
            asks_to_pay
        ];
        let machine = exo_rails_dygram::read("flow.dygram", file).machine;
        let executor = Executor::builder(&machine, model.clone()).tool(tool).rails(rails).build().unwrap();
        let mut state = stored(&executor.run().await.unwrap_err());
        let mut open = ids(&state);
        state.answer(&open.remove(answered), true).unwrap();
        let result = executor.resume(state).unwrap().run().await;
        let stopped = result.map(|done| done.ended_at).expect_err("the other path has no answer");
        assert_eq!((ids(&stopped.state), *paid.lock().unwrap()), (open, 1));
    }
}

/// Asks as the guards of the kit do.
#[rail(priority = 30, on = [PreToolCall], tool = "pay")]
fn requests_approval(call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
    let request = ApprovalRequest::new("approval", "pay", call, "bills are paid once", ctx);
    RailAction::suspend(ctx.question("pay?").with_data(&request.id))
}

/// Programs store requests by their ids.
#[tokio::test]
async fn requests_of_several_paths_have_different_ids() {
    let file = "State s; Task a { prompt: \"x\"; } Task b { prompt: \"x\"; } s -@parallel-> a, b;";
    let pay = call("pay", json!({ "bill": 7 }));
    let tool = Tool::new("pay", "Pays.", json!({}), |_: Value| async { Ok::<_, OperationError>("paid") });
    let rails = rail_chain![
        #[chain(operations = [Transition])]
        requests_approval
    ];
    let executor = machine(file, &json!([pay, pay]).to_string()).tool(tool).rails(rails).build().unwrap();
    let stopped = executor.run().await.unwrap_err();
    let asked: Vec<_> = stopped.state.questions().map(|asked| asked.open.question.data.clone()).collect();
    assert!(asked.len() == 2 && asked[0] != asked[1], "{asked:?}");
}
