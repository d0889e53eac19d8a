//! Random rules and random traces: the guard and the reference agree at every step.

use exo_rails_guards::Sequence;
use exo_rails_guards::sequence::SequenceRule;
use proptest::prelude::*;
use serde_json::json;

use crate::sequence::world::{End, Runner, Step};

const TOOLS: [&str; 4] = ["a", "b", "c", "d"];

/// A short time, so that running calls outlive it.
const HOLD_FOR: u64 = 5_000;

fn tools() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&TOOLS[..]), 1..3).prop_map(|tools| tools.join(" or "))
}

fn calls() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["", "", "", "failed ", "refused ", "attempted "]);
    (word, tools()).prop_map(|(word, tools)| format!("{word}{tools}"))
}

fn rule() -> impl Strategy<Value = String> {
    let unless = prop::option::of(tools());
    let demand = prop_oneof![
        2 => (tools(), calls()).prop_map(|(tools, first)| format!("{tools} only after {first}")),
        3 => (tools(), calls(), unless).prop_map(|(tools, after, unless)| {
            let unless = unless.map_or(String::new(), |calls| format!(" unless {calls} in between"));
            format!("never {tools} after {after}{unless}")
        }),
        2 => (1..4_u8, calls()).prop_map(|(most, calls)| format!("at most {most} {calls}")),
        2 => (1..9_u8, calls()).prop_map(|(most, calls)| format!("sum of amount in {calls} at most {most}")),
    ];
    let within = prop::sample::select(vec!["", "", " within 1s", " within 3s", " within 20s"]);
    let same = prop::sample::select(vec!["", "", " same order_id"]);
    let per = prop::sample::select(vec!["", " per session", " per user", " per global"]);
    (demand, within, same, per).prop_map(|(demand, within, same, per)| format!("{demand}{within}{same}{per}"))
}

/// A step whose labels are chosen later.
#[derive(Clone, Debug)]
enum Planned {
    Call { user: &'static str, tool: &'static str, order: Option<u8>, amount: Option<u8>, ends: Vec<End> },
    End(prop::sample::Index, End),
    Drop(prop::sample::Index),
    Other(Step),
}

fn planned() -> impl Strategy<Value = Planned> {
    let end = || prop_oneof![Just(End::Success), Just(End::Failure)];
    let user = prop::sample::select(vec!["ada", "ada", "bob"]);
    let order = prop::sample::select(vec![None, Some(1), Some(1), Some(2)]);
    let amount = prop::option::weighted(0.9, 0..5_u8);
    let call = (user, prop::sample::select(&TOOLS[..]), order, amount, prop::collection::vec(end(), 0..3));
    let wait = prop::sample::select(vec![1, 999, 1_000, 1_001, 2_000, 4_999, 5_000, 19_999]);
    prop_oneof![
        8 => call.prop_map(|(user, tool, order, amount, ends)| Planned::Call { user, tool, order, amount, ends }),
        3 => (any::<prop::sample::Index>(), end()).prop_map(|(index, end)| Planned::End(index, end)),
        1 => any::<prop::sample::Index>().prop_map(Planned::Drop),
        3 => wait.prop_map(|millis| Planned::Other(Step::Wait(millis))),
        1 => prop_oneof![Just(Planned::Other(Step::NewRun)), Just(Planned::Other(Step::NewSession))],
    ]
}

/// Chooses labels. Returns `None` for an end without a running call.
fn step(planned: Planned, running: &mut Vec<String>, number: usize) -> Option<Step> {
    let mut take =
        |index: prop::sample::Index| (!running.is_empty()).then(|| running.remove(index.index(running.len())));
    Some(match planned {
        Planned::End(index, end) => Step::End(take(index)?, end),
        Planned::Drop(index) => Step::Drop(take(index)?),
        Planned::Other(step) => step,
        Planned::Call { user, tool, order, amount, ends } => {
            let arguments = json!({ "order_id": order, "amount": amount });
            let (user, tool, label) = (user.to_owned(), tool.to_owned(), number.to_string());
            Step::Call { user, tool, arguments, label, ends }
        }
    })
}

async fn compare(rules: &[String], trace: Vec<Planned>) -> Result<(), TestCaseError> {
    let mut runner = Runner::new(rules, HOLD_FOR);
    let (mut running, mut steps) = (Vec::new(), Vec::new());
    for (number, planned) in trace.into_iter().enumerate() {
        let Some(step) = step(planned, &mut running, number) else { continue };
        steps.push(step.clone());
        let verdicts = runner.step(&step).await;
        if let Some((found, expected)) = verdicts {
            prop_assert_eq!(found, expected, "{:#?}\n{:?}", rules, steps);
            if let (true, Step::Call { label, ends, .. }) = (found, step)
                && ends.is_empty()
            {
                running.push(label);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn the_guard_and_the_reference_agree(
        rules in prop::collection::vec(rule(), 1..4),
        trace in prop::collection::vec(planned(), 1..40),
    ) {
        let mut valid: Vec<String> = Vec::new();
        for rule in rules {
            let mut more = valid.clone();
            more.push(rule);
            let parsed: Result<Vec<SequenceRule>, _> = more.iter().map(|rule| rule.parse()).collect();
            let parsed = parsed.and_then(|rules| Sequence::builder().rules(rules).build());
            if parsed.is_ok() {
                valid = more;
            }
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(compare(&valid, trace))?;
    }
}
