//! Placeholders, and the guards that judge calls with them.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use exo_rails::prelude::*;
use exo_rails::{EventBus, KeptValues, ModelResponse, OperationErrorKind, Reloadable, SharedExtensions};
use exo_rails_agent::{Agent, ScriptedModel, Session};
use exo_rails_guards::approval::{Answer, ApprovalRequest, Approvals, Ask, AskError, Reply};
use exo_rails_guards::personal_data::{Reveal, reveal, true_arguments};
use exo_rails_guards::store::{MemoryStore, StateStore};
use exo_rails_guards::{Kit, UserId};
use serde_json::{Value, json};

const ADA: &str = "ada@example.com";
const EVE: &str = "eve@rival.example";
const IBANS: [&str; 2] = ["DE89370400440532013000", "GB82WEST12345698765432"];
const SEND: &str = "[personal_data]\nplaceholders = { tools = ['send_mail', 'pay', 'fetch', 'read_file'] }\n";

fn kit(toml: &str) -> Kit {
    Kit::from_toml(&format!("{SEND}{toml}")).unwrap()
}

/// Calls a tool that returns this text. Returns its output, and the arguments that it has received.
async fn call(
    rails: &impl GuardSet,
    ctx: &mut RunContext,
    tool: &str,
    arguments: Value,
    result: &str,
) -> (String, Option<Value>) {
    let received = Mutex::new(None);
    let run = |call: Permit<ToolCallInputs>| {
        *received.lock().unwrap() = Some(true_arguments(&call));
        std::future::ready(Ok::<_, OperationError>(ToolOutput::text(result)))
    };
    let inputs = ToolCallInputs::new(tool).with_arguments(arguments);
    let output = match rails.guard_tool_call(inputs, ctx, run).await {
        Ok(output) => output.content,
        Err(error) => error.to_string(),
    };
    (output, received.into_inner().unwrap())
}

async fn find(rails: &impl GuardSet, ctx: &mut RunContext, text: &str) -> String {
    call(rails, ctx, "find", json!({}), text).await.0
}

#[tokio::test]
async fn a_saved_session_does_not_use_a_placeholder_again() {
    let received = Arc::new(Mutex::new(Vec::new()));
    let agent = |script: Value, found: &'static str| {
        let (model, received): (ScriptedModel, _) = (script.to_string().parse().unwrap(), Arc::clone(&received));
        let find = move |_: Value| std::future::ready(Ok::<_, OperationError>(found.to_owned()));
        let send = move |call: Permit<ToolCallInputs>| {
            received.lock().unwrap().push(true_arguments(&call));
            std::future::ready(Ok::<_, OperationError>(ToolOutput::text("sent")))
        };
        let agent = Agent::builder("desk", model).tool(Tool::new("find", "finds", json!({}), find));
        agent.tool(Tool::with_permit("send_mail", "sends", json!({}), send)).rails(kit("")).build()
    };
    let find = json!({ "call": [{ "tool": "find", "arguments": {} }] });
    let before = agent(json!([find, { "say": "The customer is [EMAIL_1]." }]), ADA);
    let mut session = Session::start(&before, "s-1").await.unwrap();
    session.run("Who is the customer?").await.unwrap();
    let saved = serde_json::to_string(&session.save()).unwrap();
    assert!(!saved.contains(ADA), "{saved}");

    let send = |to: &str| json!({ "call": [{ "tool": "send_mail", "arguments": { "to": to } }] });
    let after = agent(json!([find, send("[EMAIL_1]"), send("[EMAIL_2]"), { "say": "done" }]), EVE);
    let mut session = Session::resume(&after, serde_json::from_str(&saved).unwrap()).await.unwrap();
    let output = session.run("Look up the rival, and then send the customer the invoice.").await.unwrap();
    let texts: Vec<_> = output.messages.iter().map(|message| message.text().into_owned()).collect();
    assert!(texts.iter().any(|text| text.contains("`[EMAIL_1]` stands for no value")), "{texts:?}");
    assert_eq!(*received.lock().unwrap(), [json!({ "to": EVE })]);
}

#[tokio::test]
async fn a_saved_run_does_not_use_a_placeholder_again() {
    let kit = kit("");
    for session in [false, true] {
        // The session is not saved.
        let context = || {
            let ctx = RunContext::new("desk").with_run_id("run-1");
            if session { ctx.with_session("s-1", SharedExtensions::default(), 0) } else { ctx }
        };
        let mut ctx = context();
        assert_eq!(find(&kit, &mut ctx, ADA).await, "[EMAIL_1]");
        let saved = serde_json::to_string(&ctx.save(&KeptValues::new()).unwrap()).unwrap();
        assert!(!saved.contains(ADA), "{saved}");
        let mut ctx = context();
        ctx.restore(serde_json::from_str(&saved).unwrap(), &KeptValues::new()).unwrap();
        assert_eq!(find(&kit, &mut ctx, EVE).await, "[EMAIL_2]");
        assert_eq!(find(&kit, &mut ctx, "+44 20 7946 0958").await, "[PHONE_1]");
    }
}

/// The program keeps the conversation, and nothing else.
#[tokio::test]
async fn a_placeholder_in_the_conversation_is_not_used_again() {
    let kit = kit("");
    let mut ctx = RunContext::new("desk");
    let mut run =
        InvokeInputs::new("Send [EMAIL_7] and [EMAIL_x] what bob@example.com wrote to [EMAIL_99999999999999999999].");
    let _ = kit.dispatch::<Start>(&mut run, &mut ctx).await.unwrap();
    assert!(run.input.text().contains("what [EMAIL_8] wrote"), "{}", run.input.text());
    assert_eq!(reveal(&ctx, "[EMAIL_7] [EMAIL_8]"), "[EMAIL_7] bob@example.com");
}

/// A person can write a mark into a file that a tool reads. The next address must not stand in its place.
#[tokio::test]
async fn a_mark_in_any_text_of_the_run_is_not_used_again() {
    let kit = kit("");
    for written in ["[EMAIL_1]", "[EMAIL_01]", "[EMAIL\\u005f1]", "[EMAIL_\u{200b}1]", "{\"[EMAIL_1]\": 1}"] {
        // In the output that has the address too, and in an output before it.
        for outputs in [vec![format!("{written}, {EVE}")], vec![written.to_owned(), EVE.to_owned()]] {
            let mut ctx = RunContext::new("desk");
            let mut last = String::new();
            for output in outputs {
                last = find(&kit, &mut ctx, &output).await;
            }
            assert!(last.ends_with("[EMAIL_2]"), "{written}: {last}");
            assert_eq!(reveal(&ctx, "[EMAIL_1], [EMAIL_2]"), format!("[EMAIL_1], {EVE}"), "{written}");
        }
    }

    let mut ctx = RunContext::new("desk");
    let failing =
        |_| std::future::ready(Err::<ToolOutput, _>(OperationError::new(OperationErrorKind::Other, "no [EMAIL_4]")));
    let _ = kit.guard_tool_call(ToolCallInputs::new("find"), &mut ctx, failing).await;
    assert_eq!(find(&kit, &mut ctx, ADA).await, "[EMAIL_5]");
    call(&kit, &mut ctx, "note", json!({ "to": { "[EMAIL_7]": 1 } }), "").await;
    assert_eq!(find(&kit, &mut ctx, EVE).await, "[EMAIL_8]");
    let model = |_| std::future::ready(Ok::<_, OperationError>(ModelResponse::text("I use [EMAIL_20].")));
    kit.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.unwrap();
    assert_eq!(find(&kit, &mut ctx, "bob@example.com").await, "[EMAIL_21]");
}

#[tokio::test]
async fn a_mark_that_two_pieces_of_a_stream_have_is_not_used_again() {
    let script = json!([{ "deltas": ["Not [EMA", "IL_1", "] but bob@exam", "ple.com."] }]).to_string();
    let run = exo_rails_agent::testing::run(kit(""), &script).streamed().await;
    run.assert_output("Not [EMAIL_1] but [EMAIL_2].");
}

#[tokio::test]
async fn a_tool_that_a_reload_removes_receives_no_values() {
    let both = "[personal_data]\nplaceholders = { tools = ['send_mail', 'post'] }";
    for after in ["[personal_data]\nplaceholders = { tools = ['send_mail'] }", "[personal_data]"] {
        let rails = Reloadable::new(Kit::from_toml(both).unwrap());
        let mut ctx = RunContext::new("desk");
        find(&rails, &mut ctx, ADA).await;
        let (to, plain) = (json!({ "to": "[EMAIL_1]" }), json!({ "to": ADA }));
        assert_eq!(call(&rails, &mut ctx, "post", to.clone(), "").await.1, Some(plain.clone()));
        rails.replace(Kit::from_toml(after).unwrap());
        assert_eq!(call(&rails, &mut ctx, "post", to.clone(), "").await.1, Some(to.clone()), "{after}");
        // A tool that is added receives the values.
        rails.replace(Kit::from_toml(both).unwrap());
        assert_eq!(call(&rails, &mut ctx, "post", to.clone(), "").await.1, Some(plain));
    }
}

/// The rule refuses the call whose tool would receive the value. Nobody reads the value.
#[tokio::test]
async fn rules_see_the_value_behind_a_placeholder() {
    let deny =
        "[permissions]\ndefault = 'allow'\nrules = [{ tool = ['send_mail', 'note'], decision = 'deny', arguments = ";
    let table = [
        (format!("{deny}{{ to = {{ glob = '*@rival.example' }} }} }}]"), "permissions/rule-1"),
        (format!("{deny}{{ to = {{ regex = '@rival[.]' }} }} }}]"), "permissions/rule-1"),
        (deny.replace("'deny'", "'ask'") + "{ to = { contains = 'rival' } } }]", "permissions/rule-1"),
        ("[approval]\nrules = [{ tool = ['send_mail', 'note'], arguments = { to = { glob = '*@rival.example' } } }]".to_owned(), "approval/rule-1"),
        (
            "[risk]\nthreshold = 50\nadditions = [{ tool = ['send_mail', 'note'], arguments = { to = { glob = '*@rival.example' } }, points = 60, because = 'a rival' }]".to_owned(),
            "risk/threshold",
        ),
    ];
    for (toml, rule) in table {
        let bus = EventBus::new(64);
        let mut records = bus.subscribe();
        let rails = bus.wrap(kit(&toml));
        let mut ctx = RunContext::new("desk");
        assert_eq!(find(&rails, &mut ctx, &format!("{EVE} {ADA}")).await, "[EMAIL_1] [EMAIL_2]");
        for to in ["[EMAIL_1]", EVE, "Eve <[EMAIL_1]>"].into_iter().take(if toml.contains("glob") { 2 } else { 3 }) {
            let (output, received) = call(&rails, &mut ctx, "send_mail", json!({ "to": to }), "sent").await;
            assert!(output.contains(rule) && !output.contains("rival.example"), "{toml}: {output}");
            assert_eq!(received, None, "{toml}");
        }
        let sent = call(&rails, &mut ctx, "send_mail", json!({ "to": "[EMAIL_2]" }), "sent").await;
        assert_eq!(sent, ("sent".to_owned(), Some(json!({ "to": ADA }))), "{toml}");
        // This tool receives the placeholder.
        let note = json!({ "to": "[EMAIL_1]" });
        let (output, received) = call(&rails, &mut ctx, "note", note.clone(), "noted").await;
        assert_eq!((output.as_str(), received), ("noted", Some(note)), "{toml}");
        drop((rails, bus));
        let mut all = String::new();
        while let Some(Ok(record)) = records.recv().await {
            write!(all, "{record:?} {}", serde_json::to_string(&*record).unwrap()).unwrap();
        }
        assert!(all.contains(rule.split('/').next().unwrap()) && !all.contains("@rival.example"), "{all}");
    }
}

#[tokio::test]
async fn an_allow_rule_sees_the_value_too() {
    let kit = kit(
        "[permissions]\ndefault = 'deny'\nrules = [{ tool = 'find', decision = 'allow' }, { tool = 'send_mail', arguments = { to = { glob = '*@example.com' } }, decision = 'allow' }]",
    );
    let mut ctx = RunContext::new("desk");
    find(&kit, &mut ctx, &format!("{ADA} {EVE}")).await;
    assert_eq!(call(&kit, &mut ctx, "send_mail", json!({ "to": "[EMAIL_1]" }), "sent").await.0, "sent");
    assert!(
        call(&kit, &mut ctx, "send_mail", json!({ "to": "[EMAIL_2]" }), "sent").await.0.contains("permissions/default")
    );
}

#[cfg(feature = "urls")]
#[tokio::test]
async fn the_guard_of_urls_sees_the_value() {
    let kit = Kit::from_toml(
        "[personal_data]\nrecognisers = ['ip-address', 'email']\nplaceholders = { tools = ['fetch'] }\n\
         [urls]\ndenied_hosts = ['rival.example']\ntools = [{ tool = 'fetch', urls = ['/*'] }]",
    )
    .unwrap();
    let mut ctx = RunContext::new("desk");
    assert_eq!(find(&kit, &mut ctx, &format!("10.0.0.7 {EVE}")).await, "[IP_ADDRESS_1] [EMAIL_1]");
    for (url, rule) in [
        (json!({ "url": "http://[IP_ADDRESS_1]/" }), "urls/special-address"),
        (json!({ "url": "http://[EMAIL_1]/" }), "urls/"),
        (json!({ "[EMAIL_1]": "http://localhost/" }), "urls/"),
    ] {
        let (output, received) = call(&kit, &mut ctx, "fetch", url, "").await;
        assert!(output.contains(rule) && !output.contains("10.0.0.7") && !output.contains("rival"), "{output}");
        assert_eq!(received, None);
    }
}

#[cfg(feature = "paths")]
#[tokio::test]
async fn the_guard_of_paths_sees_the_value() {
    let root = tempfile::tempdir().unwrap();
    let toml = format!(
        "[personal_data]\nplaceholders = {{ tools = ['read_file'] }}\n[paths]\ndenied = ['*.example']\n\
         roots = [{{ name = 'r', path = {:?}, rights = ['read'] }}]",
        root.path()
    );
    let bus = EventBus::new(64);
    let mut records = bus.subscribe();
    let rails = bus.wrap(Kit::from_toml(&toml).unwrap());
    let mut ctx = RunContext::new("desk");
    find(&rails, &mut ctx, EVE).await;
    for (arguments, rule) in [
        (json!({ "path": "[EMAIL_1]" }), "paths/denied-name"),
        (json!({ "[EMAIL_1]": { "path": "/etc/passwd" } }), "paths/outside"),
    ] {
        let (output, received) = call(&rails, &mut ctx, "read_file", arguments, "").await;
        assert!(output.contains(rule) && !output.contains("rival"), "{output}");
        assert_eq!(received, None);
    }
    drop((rails, bus));
    while let Some(Ok(record)) = records.recv().await {
        assert!(!format!("{record:?}").contains("rival"), "{record:?}");
    }
}

/// Approves every request for ever, and counts the requests.
#[derive(Clone, Debug)]
struct Yes {
    approvals: Option<Approvals>,
    reply: Reply,
    asked: Arc<Mutex<Vec<ApprovalRequest>>>,
}

impl Ask for Yes {
    async fn ask(&self, request: &ApprovalRequest, _: &mut RailContext) -> Result<Answer, AskError> {
        self.asked.lock().unwrap().push(request.clone());
        Ok(Answer::Now(self.reply.clone()))
    }

    fn approvals(&self) -> Option<&Approvals> {
        self.approvals.as_ref()
    }
}

#[tokio::test]
async fn an_approval_is_for_the_value_and_not_for_the_placeholder() {
    let store: Arc<dyn StateStore> = Arc::new(MemoryStore::new());
    for approvals in [Some(Approvals::new(Arc::clone(&store))), None] {
        for reply in [Reply::ApproveForever, Reply::ApproveForSession] {
            if approvals.is_some() && reply == Reply::ApproveForSession {
                continue;
            }
            let yes = Yes { approvals: approvals.clone(), reply, asked: Arc::default() };
            let builder = Kit::builder().asker(Arc::new(yes.clone()));
            // The second tool receives the placeholder.
            let kit = builder.from_toml(&format!("{SEND}[approval]\nrules = [{{ tool = ['pay', 'note'] }}]")).unwrap();
            let mut asked = 0;
            // The second run finds the accounts in another order.
            let session = SharedExtensions::default();
            for (first, second, questions) in [(0, 1, 2), (1, 0, 0)] {
                for tool in ["pay", "note"] {
                    let ctx = RunContext::new("desk");
                    // Without a store, the approvals are those of the session.
                    let in_store = approvals.is_some();
                    let mut ctx = if in_store { ctx } else { ctx.with_session("s-1", session.clone(), 0) };
                    find(&kit, &mut ctx, &format!("{} {}", IBANS[first], IBANS[second])).await;
                    for placeholder in ["[IBAN_1]", "[IBAN_2]", "[IBAN_1]"] {
                        let (output, _) = call(&kit, &mut ctx, tool, json!({ "to": placeholder }), "paid").await;
                        assert_eq!(output, "paid");
                    }
                    asked += questions;
                    assert_eq!(yes.asked.lock().unwrap().len(), asked, "{tool} {first}");
                }
            }
            let shown = serde_json::to_string(&*yes.asked.lock().unwrap()).unwrap();
            assert!(IBANS.iter().all(|iban| !shown.contains(iban)), "{shown}");
        }
    }
    let mut stored = serde_json::to_string(&Approvals::new(Arc::clone(&store)).list().await.unwrap()).unwrap();
    write!(stored, "{store:?}").unwrap();
    assert!(stored.contains("[IBAN_1]") && IBANS.iter().all(|iban| !stored.contains(iban)), "{stored}");
}

#[tokio::test]
async fn an_approval_of_one_account_is_not_for_another() {
    let approvals = Approvals::new(Arc::new(MemoryStore::new()));
    let yes = Yes { approvals: Some(approvals), reply: Reply::ApproveForever, asked: Arc::default() };
    let kit = || {
        let kit = Kit::builder().asker(Arc::new(yes.clone()));
        kit.from_toml(&format!("{SEND}[approval]\nrules = [{{ tool = 'pay' }}]")).unwrap()
    };
    for (iban, asked) in [(IBANS[0], 1), (IBANS[1], 2), (IBANS[0], 2)] {
        let mut ctx = RunContext::new("desk");
        assert_eq!(find(&kit(), &mut ctx, iban).await, "[IBAN_1]");
        call(&kit(), &mut ctx, "pay", json!({ "to": { "account": ["[IBAN_1]"] } }), "paid").await;
        assert_eq!(yes.asked.lock().unwrap().len(), asked, "{iban}");
    }
}

#[tokio::test]
async fn sequence_rules_compare_the_value() {
    let rules = "[sequence]\nrules = ['at most 1 pay same iban per user', 'never post after pay same iban per user', \
                 'close only after note same iban per user']";
    let builder = Kit::builder().store(MemoryStore::new());
    let kit = || builder.from_toml(&format!("{SEND}{rules}")).unwrap();
    let context = || {
        let ctx = RunContext::new("desk");
        ctx.run.insert(UserId::new("ada"));
        ctx
    };
    let iban = |number: usize| json!({ "iban": format!("[IBAN_{number}]") });
    let mut ctx = context();
    find(&kit(), &mut ctx, IBANS[0]).await;
    assert_eq!(call(&kit(), &mut ctx, "pay", iban(1), "paid").await.0, "paid");
    let refused = call(&kit(), &mut ctx, "pay", iban(1), "paid").await.0;
    assert!(refused.contains("at most 1 are allowed") && !refused.contains(IBANS[0]), "{refused}");
    // The next run has the placeholders in another order.
    let mut ctx = context();
    find(&kit(), &mut ctx, &format!("{} {}", IBANS[1], IBANS[0])).await;
    assert!(call(&kit(), &mut ctx, "pay", iban(2), "paid").await.0.contains("at most 1 are allowed"));
    assert_eq!(call(&kit(), &mut ctx, "pay", iban(1), "paid").await.0, "paid");
    // These tools receive the placeholder. The rules compare the value all the same.
    let mut ctx = context();
    find(&kit(), &mut ctx, IBANS[1]).await;
    assert!(call(&kit(), &mut ctx, "post", iban(1), "posted").await.0.contains("not allowed after"));
    assert_eq!(call(&kit(), &mut ctx, "note", iban(1), "noted").await.0, "noted");
    let mut ctx = context();
    find(&kit(), &mut ctx, &format!("{} {}", IBANS[0], IBANS[1])).await;
    assert!(call(&kit(), &mut ctx, "close", iban(1), "closed").await.0.contains("Call `note` first"));
    assert_eq!(call(&kit(), &mut ctx, "close", iban(2), "closed").await.0, "closed");
}

#[tokio::test]
async fn sequence_rules_add_amounts_that_are_hidden() {
    // The amount is also the number of a card.
    let amount = 4_222_222_222_222_u64;
    let kit = kit("[sequence]\nrules = ['sum of amount in pay at most 5000000000000']");
    let mut ctx = RunContext::new("desk");
    assert_eq!(call(&kit, &mut ctx, "pay", json!({ "amount": amount }), "paid").await.0, "paid");
    let refused = call(&kit, &mut ctx, "pay", json!({ "amount": amount }), "paid").await.0;
    assert!(refused.contains("[CREDIT_CARD_1] is used") && !refused.contains(&amount.to_string()), "{refused}");
}

#[tokio::test]
async fn hidden_numbers_become_placeholder_texts() {
    let card = 4_111_111_111_111_111_u64;
    let kit = kit("");
    let mut ctx = RunContext::new("desk");
    let hidden = json!({ "order": "[CREDIT_CARD_1]", "list": [1, 2.5, "[CREDIT_CARD_1]"], "path": "/etc/passwd" });
    let arguments = json!({ "order": card, "list": [1, 2.5, card], "path": "/etc/passwd" });
    // Own loop.
    let mut inputs = ToolCallInputs::new("post").with_arguments(arguments.clone());
    let _ = kit.dispatch::<PreToolCall>(&mut inputs, &mut ctx).await.unwrap();
    assert_eq!(inputs.arguments, hidden);
    // The answer of a model.
    let call_of = exo_rails::message::ToolCall::new("c-1", "post", &arguments);
    let mut response = ModelResponse::default();
    response.message.tool_calls.push(call_of);
    let _ = kit.dispatch::<PostLlmCall>((&ModelCallInputs::default(), &mut response), &mut ctx).await.unwrap();
    let written = &response.message.tool_calls[0].function.arguments;
    assert_eq!(serde_json::from_str::<Value>(written).unwrap(), hidden, "{written}");
    // The output of a tool.
    let output = find(&kit, &mut ctx, &arguments.to_string()).await;
    assert_eq!(serde_json::from_str::<Value>(&output).unwrap(), hidden, "{output}");
}

#[tokio::test]
async fn a_text_that_is_not_json_is_not_revealed() {
    let kit = kit("");
    let mut ctx = RunContext::new("desk");
    find(&kit, &mut ctx, ADA).await;
    let broken = Value::String(r#"{"to":[EMAIL_1],"path":"/etc/passwd"}"#.to_owned());
    assert_eq!(call(&kit, &mut ctx, "send_mail", broken.clone(), "").await.1, Some(broken));
}

/// The texts of the pieces, one behind the other.
fn revealed_in_pieces(ctx: &RunContext, pieces: &[&str]) -> String {
    let mut reveal = Reveal::new(ctx);
    let mut shown: String = pieces.iter().map(|piece| reveal.push(piece)).collect();
    shown.push_str(&reveal.finish());
    shown
}

#[tokio::test]
async fn a_stream_reveals_what_the_whole_text_reveals() {
    let (kit, mut ctx) = (kit(""), RunContext::new("test"));
    assert_eq!(find(&kit, &mut ctx, &format!("{ADA} and {}", IBANS[0])).await, "[EMAIL_1] and [IBAN_1]");
    let texts = [
        "To [EMAIL_1], [IBAN_1] and [EMAIL_2].",
        "[[EMAIL_1]][EMAIL_1[EMAIL_1]",
        "[EMAIL_1",
        "ünï [EMAIL_1]ö[ EMAIL_1] [email_1]",
        "[]][_][EMAIL_1][IBAN_1][",
        &format!("[{}][EMAIL_1]", "A".repeat(100)),
    ];
    for text in texts {
        let whole = reveal(&ctx, text);
        assert_eq!(whole.contains(ADA), text.contains("[EMAIL_1]"), "{text}");
        let places: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        for (first, second) in places.iter().flat_map(|first| places.iter().map(move |second| (*first, *second))) {
            if first <= second {
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(revealed_in_pieces(&ctx, &pieces), whole, "{pieces:?}");
            }
        }
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(revealed_in_pieces(&ctx, &letters), whole);
    }
}

#[tokio::test]
async fn a_stream_holds_back_only_what_may_be_a_placeholder() {
    let (kit, mut ctx) = (kit(""), RunContext::new("test"));
    let mut reveal = Reveal::new(&ctx);
    // The value is known after the stream has begun.
    assert_eq!(find(&kit, &mut ctx, ADA).await, "[EMAIL_1]");
    for (piece, shown) in [
        ("See [", "See "),
        ("1] and [EMA", "[1] and "),
        ("IL_1", ""),
        ("] or [x", &format!("{ADA} or [x")),
        (&"A".repeat(70), &"A".repeat(70)),
        (&format!("[{}", "A".repeat(59)), ""),
        ("A", &format!("[{}", "A".repeat(60))),
    ] {
        assert_eq!(reveal.push(piece), shown, "{piece}");
    }
    assert_eq!(reveal.finish(), "");
}
