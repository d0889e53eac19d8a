//! Traces with the verdict at each step, for the guard and for the naive reference.
//!
//! | step | meaning |
//! |---|---|
//! | `refund 7 $50: ok` | a call with `order_id` 7 and `amount` 50 runs and succeeds; with `: no`, the guard refuses it |
//! | `ada/refund 7: ok` | a call of the user ada |
//! | `!login: ok` | the call runs and fails |
//! | `!+refund: ok` | the first attempt fails, and the second one succeeds |
//! | `a=refund 7: ok` | the call begins, and runs until `end a`, `fail a` or `drop a` |
//! | `wait 1h`, `new run`, `new session` | |

use serde_json::{Value, json};

use crate::sequence::reference::millis;
use crate::sequence::world::{End, Runner, Step};

/// The time after which a running call counts as ended.
const HOLD_FOR: u64 = 600_000;

const TRACES: &[(&str, &[&str], &str)] = &[
    // `only after`
    ("nothing came first", &["refund only after approve"], "refund 7: no; search: ok; refund 7: no"),
    ("one call allows all later ones", &["refund only after approve"], "approve: ok; refund: ok; refund: ok"),
    (
        "a failed call allows nothing",
        &["refund only after approve"],
        "!approve: ok; refund: no; approve: ok; refund: ok",
    ),
    ("a running call allows nothing", &["refund only after approve"], "a=approve: ok; refund: no; end a; refund: ok"),
    ("a running call that fails allows nothing", &["refund only after approve"], "a=approve: ok; fail a; refund: no"),
    ("a dropped call allows nothing", &["refund only after approve"], "a=approve: ok; drop a; wait 1h; refund: no"),
    (
        "another order is not approved",
        &["refund only after approve same order_id"],
        "approve 7: ok; refund 8: no; refund 7: ok",
    ),
    (
        "a call without the field is refused",
        &["refund only after approve same order_id"],
        "approve: no; approve 7: ok; refund: no",
    ),
    (
        "two fields",
        &["refund only after approve same order_id and amount"],
        "approve 7 $5: ok; refund 7 $6: no; refund 7 $5: ok",
    ),
    (
        "fields with two names",
        &["refund only after approve same order_id as id"],
        "approve id=7: ok; refund 8: no; refund 7: ok; approve 9: no",
    ),
    (
        "the window ends",
        &["refund only after approve within 1h"],
        "approve: ok; wait 3599999ms; refund: ok; wait 1ms; refund: no; approve: ok; refund: ok",
    ),
    (
        "the window begins with the end of the call",
        &["refund only after approve within 1h"],
        "a=approve: ok; wait 30m; end a; wait 3599999ms; refund: ok; wait 1ms; refund: no",
    ),
    (
        "the last call counts",
        &["refund only after approve within 1h"],
        "approve: ok; wait 40m; approve: ok; wait 40m; refund: ok; wait 20m; refund: no",
    ),
    ("a new run begins with nothing", &["refund only after approve"], "approve: ok; new run; refund: no"),
    (
        "a session has all of its runs",
        &["refund only after approve per session"],
        "approve: ok; new run; refund: ok; new session; refund: no",
    ),
    (
        "a user has all of their runs",
        &["refund only after approve per user"],
        "ada/approve: ok; refund: no; new session; ada/refund: ok",
    ),
    ("all runs together", &["refund only after approve per global"], "ada/approve: ok; new session; refund: ok"),
    (
        "one of two tools",
        &["refund or payout only after approve or sign"],
        "payout: no; sign: ok; refund: ok; payout: ok",
    ),
    ("a chain of rules", &["b only after a", "c only after b"], "c: no; b: no; a: ok; c: no; b: ok; c: ok"),
    ("after a failure", &["rollback only after failed deploy"], "deploy: ok; rollback: no; !deploy: ok; rollback: ok"),
    (
        "after an attempt",
        &["call_person only after attempted refund", "refund only after approve"],
        "call_person: no; refund: no; call_person: ok",
    ),
    (
        "after a refusal",
        &["appeal only after refused refund", "refund only after approve"],
        "appeal: no; refund: no; appeal: ok",
    ),
    ("a retry", &["refund only after approve"], "!+approve: ok; refund: ok"),
    ("a retry that fails", &["refund only after approve"], "!!approve: ok; refund: no"),
    // `never`
    (
        "never after",
        &["never send_mail after read_web"],
        "send_mail: ok; read_web: ok; send_mail: no; search: ok; send_mail: no",
    ),
    ("a failed call does not count", &["never send_mail after read_web"], "!read_web: ok; send_mail: ok"),
    ("an attempt counts", &["never send_mail after attempted read_web"], "!read_web: ok; send_mail: no"),
    (
        "a running call counts",
        &["never send_mail after read_web"],
        "a=read_web: ok; send_mail: no; fail a; send_mail: ok",
    ),
    (
        "a call that has begun before is allowed",
        &["never send_mail after read_web"],
        "a=send_mail: ok; read_web: ok; end a; send_mail: no",
    ),
    (
        "a dropped call may have run",
        &["never send_mail after read_web"],
        "a=read_web: ok; drop a; send_mail: no; wait 2h; send_mail: no",
    ),
    (
        "a dropped call leaves the window",
        &["never send_mail after read_web within 1h"],
        "a=read_web: ok; drop a; wait 4199999ms; send_mail: no; wait 1ms; send_mail: ok",
    ),
    (
        "the window of never",
        &["never send_mail after read_web within 1h"],
        "read_web: ok; wait 3599999ms; send_mail: no; wait 1ms; send_mail: ok",
    ),
    (
        "a running call never leaves the window",
        &["never send_mail after read_web within 1s"],
        "a=read_web: ok; wait 5m; send_mail: no; end a; send_mail: no; wait 1s; send_mail: ok",
    ),
    (
        "unless",
        &["never send_mail after read_web unless review in between"],
        "read_web: ok; send_mail: no; review: ok; send_mail: ok; read_web: ok; send_mail: no",
    ),
    (
        "a review before is none",
        &["never send_mail after read_web unless review in between"],
        "review: ok; read_web: ok; send_mail: no",
    ),
    (
        "a failed review is none",
        &["never send_mail after read_web unless review in between"],
        "read_web: ok; !review: ok; send_mail: no",
    ),
    (
        "a review that began before is none",
        &["never send_mail after read_web unless review in between"],
        "a=review: ok; read_web: ok; end a; send_mail: no; review: ok; send_mail: ok",
    ),
    (
        "a review during the call is none",
        &["never send_mail after read_web unless review in between"],
        "a=read_web: ok; review: ok; send_mail: no; end a; send_mail: no; review: ok; send_mail: ok",
    ),
    (
        "a running review is none",
        &["never send_mail after read_web unless review in between"],
        "read_web: ok; a=review: ok; send_mail: no; end a; send_mail: ok",
    ),
    (
        "a second page during the review",
        &["never send_mail after read_web unless review in between"],
        "read_web: ok; a=review: ok; read_web: ok; end a; send_mail: no",
    ),
    (
        "a review of a dropped call",
        &["never send_mail after read_web unless review in between"],
        "a=read_web: ok; drop a; review: ok; send_mail: no; wait 10m; review: ok; send_mail: ok",
    ),
    (
        "the review of another order",
        &["never refund after complain unless review in between same order_id"],
        "complain 7: ok; review 8: ok; refund 7: no; refund 8: ok; review 7: ok; refund 7: ok",
    ),
    (
        "tests after the last failure",
        &["never deploy after failed run_tests unless run_tests in between"],
        "!run_tests: ok; deploy: no; run_tests: ok; deploy: ok; !+run_tests: ok; deploy: ok; !run_tests: ok; deploy: no",
    ),
    ("once", &["never refund after refund same order_id"], "refund 7: ok; refund 8: ok; refund 7: no"),
    (
        "once, at the same time",
        &["never refund after refund"],
        "a=refund: ok; refund: no; fail a; b=refund: ok; end b; refund: no",
    ),
    ("once, with a retry", &["never refund after refund"], "++refund: ok; refund: no"),
    ("once, after a retry that failed", &["never refund after refund"], "!!refund: ok; !+refund: ok; refund: no"),
    (
        "never after a refusal",
        &["never deploy after refused shell", "at most 1 shell"],
        "shell: ok; deploy: ok; shell: no; deploy: no",
    ),
    // `at most`
    ("at most", &["at most 2 refund"], "refund: ok; refund: ok; refund: no; search: ok; new run; refund: ok"),
    (
        "calls at the same time",
        &["at most 2 refund"],
        "a=refund: ok; b=refund: ok; refund: no; fail a; c=refund: ok; refund: no; end b; end c; refund: no",
    ),
    ("a failed call gives its place back", &["at most 1 refund"], "!refund: ok; refund: ok; refund: no"),
    ("a dropped call keeps its place", &["at most 1 refund"], "a=refund: ok; drop a; wait 1d; refund: no"),
    ("two tools together", &["at most 2 refund or payout"], "refund: ok; payout: ok; refund: no; payout: no"),
    ("a retry counts once", &["at most 2 refund"], "!+refund: ok; ++refund: ok; refund: no"),
    (
        "for each customer",
        &["at most 1 refund same order_id"],
        "refund 7: ok; refund 8: ok; refund 7: no; refund 8: no; refund: no",
    ),
    (
        "the window slides",
        &["at most 2 refund within 1h"],
        "refund: ok; wait 30m; refund: ok; wait 29m; refund: no; wait 1m; refund: ok; refund: no; wait 30m; refund: ok; refund: no",
    ),
    (
        "the boundary of the window",
        &["at most 1 refund within 1h"],
        "refund: ok; wait 3599999ms; refund: no; wait 1ms; refund: ok",
    ),
    (
        "a refused call does not count",
        &["at most 1 refund within 1h"],
        "refund: ok; wait 59m; refund: no; wait 1m; refund: ok",
    ),
    (
        "failures",
        &["at most 2 failed login within 10m"],
        "login: ok; !login: ok; login: ok; !login: ok; login: no; wait 10m; login: ok",
    ),
    ("a running call can fail", &["at most 1 failed login"], "a=login: ok; login: no; end a; login: ok"),
    (
        "attempts",
        &["at most 2 attempted login within 10m"],
        "!login: ok; login: ok; login: no; wait 9m; login: no; wait 1m; login: ok; login: no",
    ),
    (
        "refusals",
        &["at most 1 refused shell", "never shell after read_web within 1m"],
        "read_web: ok; shell: no; wait 1m; shell: no",
    ),
    (
        "users apart",
        &["at most 1 refund per user"],
        "ada/refund: ok; bob/refund: ok; ada/refund: no; new session; bob/refund: no",
    ),
    (
        "a call that runs for too long",
        &["at most 1 refund within 1h"],
        "a=refund: ok; wait 4199999ms; refund: no; wait 1ms; b=refund: ok; end a; refund: no; fail b; refund: no; wait 1h; refund: ok",
    ),
    // `sum`
    (
        "a sum",
        &["sum of amount in refund at most 100"],
        "refund $60: ok; refund $41: no; refund $40: ok; refund $1: no; refund $0: ok",
    ),
    (
        "a sum of running calls",
        &["sum of amount in refund at most 100"],
        "a=refund $60: ok; refund $50: no; fail a; refund $50: ok; refund $51: no",
    ),
    (
        "a sum of a window",
        &["sum of amount in refund at most 100 within 1d per user"],
        "refund $90: ok; wait 23h; new run; refund $20: no; wait 1h; refund $20: ok",
    ),
    (
        "a sum for each order",
        &["sum of amount in refund at most 100 same order_id"],
        "refund 7 $90: ok; refund 8 $90: ok; refund 7 $20: no",
    ),
    ("a sum without an amount", &["sum of amount in refund at most 100"], "refund: no; refund $100: ok"),
    ("one amount is too large", &["sum of amount in refund at most 100"], "refund $101: no; refund $100: ok"),
    (
        "a sum with a retry",
        &["sum of amount in refund at most 100"],
        "!+refund $60: ok; ++refund $40: ok; refund $1: no",
    ),
    (
        "a sum of two tools",
        &["sum of amount in refund or payout at most 100"],
        "refund $60: ok; payout $60: no; payout $40: ok",
    ),
    // Several rules
    (
        "the shop",
        &[
            "refund only after approve within 1h same order_id",
            "at most 1 refund same order_id",
            "sum of amount in refund at most 500 within 1d per user",
        ],
        "refund 7 $90: no; approve 7: ok; refund 7 $600: no; refund 7 $400: ok; refund 7 $90: no; approve 8: ok; refund 8 $200: no; refund 8 $100: ok",
    ),
    (
        "a refused call holds no place",
        &["at most 1 refund", "refund only after approve"],
        "refund: no; approve: ok; refund: ok",
    ),
];

/// Reads a step, and the expected verdict of a call.
fn step(text: &str) -> (Step, Option<bool>) {
    let text = text.trim();
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let step = match first {
        "wait" => Step::Wait(millis(rest)),
        "new" if rest == "run" => Step::NewRun,
        "new" => Step::NewSession,
        "end" => Step::End(rest.to_owned(), End::Success),
        "fail" => Step::End(rest.to_owned(), End::Failure),
        "drop" => Step::Drop(rest.to_owned()),
        _ => return call(text),
    };
    (step, None)
}

fn call(text: &str) -> (Step, Option<bool>) {
    let (call, verdict) = text.split_once(": ").unwrap();
    let mut words = call.split(' ');
    let mut tool = words.next().unwrap();
    let mut user = "eve";
    if let Some((name, rest)) = tool.split_once('/') {
        (user, tool) = (name, rest);
    }
    let (label, mut ends) = match tool.split_once('=') {
        Some((label, rest)) => {
            tool = rest;
            (label, vec![])
        }
        None => ("", vec![End::Success]),
    };
    let attempts = tool.trim_start_matches(['!', '+']);
    if attempts.len() < tool.len() {
        let signs = &tool[..tool.len() - attempts.len()];
        ends = signs.chars().map(|sign| if sign == '!' { End::Failure } else { End::Success }).collect();
        tool = attempts;
    }
    let mut arguments = json!({});
    for word in words {
        let (name, value) = match (word.strip_prefix('$'), word.split_once('=')) {
            (Some(amount), _) => ("amount", amount),
            (_, Some((name, value))) => (name, value),
            _ => ("order_id", word),
        };
        arguments[name] = value.parse::<Value>().unwrap();
    }
    let step = Step::Call { user: user.to_owned(), tool: tool.to_owned(), arguments, label: label.to_owned(), ends };
    (step, Some(verdict == "ok"))
}

#[tokio::test(start_paused = true)]
async fn each_step_has_its_verdict() {
    assert!(TRACES.len() >= 60, "{}", TRACES.len());
    let (mut verdicts, mut wrong) = (0, Vec::new());
    for (name, rules, trace) in TRACES {
        let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
        let mut runner = Runner::new(&rules, HOLD_FOR);
        for (place, text) in trace.split(';').enumerate() {
            let (step, expected) = step(text);
            let found = runner.step(&step).await;
            if found != expected.map(|verdict| (verdict, verdict)) {
                wrong.push(format!("{name}, step {place}: {text}: {found:?}"));
                break;
            }
            verdicts += u32::from(expected.is_some());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(verdicts >= 200, "{verdicts}");
}
