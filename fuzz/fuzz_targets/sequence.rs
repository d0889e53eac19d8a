//! Sequence rules in their text form, and calls that they judge. An input that begins with a zero makes rules and a trace, whose
//! verdicts are compared with those of the naive reference of the tests.

#![no_main]

mod sequence {
    #[path = "../../../crates/exo-rails-guards/tests/calls/sequence/reference.rs"]
    pub(crate) mod reference;
    #[path = "../../../crates/exo-rails-guards/tests/calls/sequence/world.rs"]
    pub(crate) mod world;
}

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use arbitrary::{Arbitrary, Unstructured};
use exo_rails::prelude::*;
use exo_rails_guards::sequence::{Sequence, SequenceRule};
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::sequence::world::{End, Runner, Step};

rail_chain! {
    struct Rails { sequence: Sequence }
}

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime without I/O starts"));

const TOOLS: [&str; 4] = ["a", "b", "c", "probe"];

/// Reads a rule. The rule can be written and read again, and a mistake has a place in the text.
fn read(text: &str) -> Option<SequenceRule> {
    match text.parse::<SequenceRule>() {
        Ok(rule) => {
            let written = rule.to_string();
            assert_eq!(written.parse::<SequenceRule>().as_ref(), Ok(&rule), "{text}: {written}");
            Some(rule)
        }
        Err(error) => {
            let (line, column) = error.position.expect("a mistake has a place");
            let lines: Vec<&str> = text.split('\n').collect();
            assert!(line <= lines.len() && column <= lines[line - 1].chars().count() + 1, "{text}: {error}");
            None
        }
    }
}

/// Makes a call for each byte. Two of them are the most that the last rule allows.
async fn calls(rails: &Rails, trace: &[u8]) {
    let (mut ctx, probes) = (RunContext::new("fuzz"), AtomicU32::new(0));
    for byte in trace {
        let tool = TOOLS[usize::from(byte & 3)];
        let body = |_| async {
            if byte & 4 != 0 {
                return Err(OperationError::from("broken".to_owned()));
            }
            if tool == "probe" {
                probes.fetch_add(1, Ordering::Relaxed);
            }
            Ok(ToolOutput::text("done"))
        };
        let arguments = json!({ "x": byte >> 5, "y": byte >> 6 });
        let call = ToolCallInputs::new(tool).with_arguments(arguments);
        drop(rails.guard_tool_call(call, &mut ctx, body).await);
    }
    let probes = probes.into_inner();
    assert!(probes <= 2, "{probes} probes have succeeded");
}

/// The parts of a rule that the guard and the reference both read.
#[derive(Arbitrary, Debug)]
struct RuleParts {
    kind: u8,
    tools: [Option<u8>; 2],
    word: u8,
    others: [Option<u8>; 2],
    unless: Option<u8>,
    most: u8,
    within: u8,
    is_same: bool,
    per: u8,
}

#[derive(Arbitrary, Debug)]
enum Planned {
    Call { user: bool, tool: u8, order: Option<bool>, amount: Option<u8>, ends: [Option<bool>; 2] },
    End(u8, bool),
    Drop(u8),
    Wait(u8),
    NewRun,
    NewSession,
}

/// A short time, so that running calls outlive it.
const HOLD_FOR: u64 = 5_000;

fn pick<'t>(texts: &[&'t str], byte: u8) -> &'t str {
    texts[usize::from(byte) % texts.len()]
}

impl RuleParts {
    fn text(&self) -> String {
        let names = |tools: [Option<u8>; 2]| {
            let names: Vec<_> = tools.iter().flatten().map(|tool| pick(&TOOLS[..3], *tool)).collect();
            if names.is_empty() { "a".to_owned() } else { names.join(" or ") }
        };
        let tools = names(self.tools);
        let calls =
            format!("{}{}", pick(&["", "", "failed ", "refused ", "attempted "], self.word), names(self.others));
        let most = self.most % 9 + 1;
        let demand = match self.kind % 4 {
            0 => format!("{tools} only after {calls}"),
            1 => {
                let unless = self.unless.map(|tool| format!(" unless {} in between", pick(&TOOLS[..3], tool)));
                format!("never {tools} after {calls}{}", unless.unwrap_or_default())
            }
            2 => format!("at most {most} {calls}"),
            _ => format!("sum of amount in {calls} at most {most}"),
        };
        let within = pick(&["", " within 1s", " within 3s", " within 20s"], self.within);
        let same = if self.is_same { " same order_id" } else { "" };
        format!("{demand}{within}{same}{}", pick(&["", " per session", " per user", " per global"], self.per))
    }
}

impl Planned {
    /// Chooses labels. Returns `None` for an end without a running call.
    fn step(&self, running: &mut Vec<String>, number: usize) -> Option<Step> {
        let mut take = |place: u8| (!running.is_empty()).then(|| running.remove(usize::from(place) % running.len()));
        let end = |is_success: bool| if is_success { End::Success } else { End::Failure };
        Some(match *self {
            Self::End(place, is_success) => Step::End(take(place)?, end(is_success)),
            Self::Drop(place) => Step::Drop(take(place)?),
            Self::Wait(byte) => Step::Wait([1, 999, 1_000, 1_001, 2_000, 4_999, 5_000, 19_999][usize::from(byte % 8)]),
            Self::NewRun => Step::NewRun,
            Self::NewSession => Step::NewSession,
            Self::Call { user, tool, order, amount, ends } => Step::Call {
                user: if user { "ada" } else { "bob" }.to_owned(),
                tool: pick(&TOOLS[..3], tool).to_owned(),
                arguments: json!({ "order_id": order.map(u8::from), "amount": amount.map(|amount| amount % 5) }),
                label: number.to_string(),
                ends: ends.into_iter().flatten().map(end).collect(),
            },
        })
    }
}

/// Checks that the guard and the reference agree at every step.
async fn compare(rules: Vec<RuleParts>, trace: Vec<Planned>) {
    let mut valid: Vec<String> = Vec::new();
    for rule in rules.iter().take(4) {
        let more: Vec<String> = valid.iter().cloned().chain([rule.text()]).collect();
        let parsed = more.iter().map(|rule| rule.parse::<SequenceRule>()).collect::<Result<Vec<_>, _>>();
        if parsed.and_then(|rules| Sequence::builder().rules(rules).build()).is_ok() {
            valid = more;
        }
    }
    let (mut runner, mut running, mut steps) = (Runner::new(&valid, HOLD_FOR), Vec::new(), Vec::new());
    for (number, planned) in trace.iter().take(48).enumerate() {
        let Some(step) = planned.step(&mut running, number) else { continue };
        steps.push(step.clone());
        let Some((found, expected)) = runner.step(&step).await else { continue };
        assert_eq!(found, expected, "{valid:#?} {steps:?}");
        if let (true, Step::Call { label, ends, .. }) = (found, step)
            && ends.is_empty()
        {
            running.push(label);
        }
    }
}

fuzz_target!(|data: &[u8]| {
    if let [0, rest @ ..] = data {
        let Ok((rules, trace)) = Unstructured::new(rest).arbitrary() else { return };
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime starts");
        runtime.block_on(compare(rules, trace));
        return;
    }
    let end = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let Ok(text) = std::str::from_utf8(&data[..end]) else { return };
    let mut rules: Vec<SequenceRule> = text.split(';').take(8).filter_map(read).collect();
    rules.extend("at most 2 probe".parse::<SequenceRule>().map(|rule| rule.named("the last one")));
    let Ok(sequence) = Sequence::builder().rules(rules).build() else { return };
    let trace = &data[end..];
    RUNTIME.block_on(calls(&Rails { sequence }, &trace[..trace.len().min(64)]));
});
