//! Sequence rules: flows of tool calls that were written by hand, with the steps that a rule must refuse, times, and memory.
//!
//! `sequence_flows.toml` has the flows. No rule was changed after it was first measured.

use std::time::Instant;

use exo_rails::prelude::*;
use exo_rails_guards::sequence::{Sequence, SequenceConfig, SequenceRule};
use exo_rails_guards::{UserId, config};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Failure;
use crate::memory::resident;
use crate::time::Micros;

type Result<T> = std::result::Result<T, Failure>;

rail_chain! { struct Rails { sequence: Sequence } }

#[derive(Deserialize)]
struct Flows {
    flow: Vec<Flow>,
}

/// A list of calls, and the rules for them.
#[derive(Deserialize)]
struct Flow {
    name: String,
    rules: Vec<SequenceRule>,
    /// The calls: the tool, its arguments as JSON, and the words `fails` or `refused`.
    calls: Vec<String>,
}

pub(crate) async fn measure() -> Result<()> {
    let Flows { flow: flows } = config::from_toml(include_str!("sequence_flows.toml"))?;
    let (mut caught, mut missed, mut work, mut stopped) = (0, 0, 0, 0);
    for flow in &flows {
        let rails = rails(&flow.rules)?;
        let mut ctx = RunContext::new("figures");
        for line in &flow.calls {
            let call = Call::read(line)?;
            let is_refused = call.make(&rails, &mut ctx).await?;
            match (call.is_refused, is_refused) {
                (true, true) => caught += 1,
                (false, false) => work += 1,
                (true, false) => missed += 1,
                (false, true) => stopped += 1,
            }
            if call.is_refused != is_refused {
                println!("- {}: {line}: {}", flow.name, if is_refused { "stopped" } else { "missed" });
            }
        }
    }
    println!(
        "{} flows: {caught} of {} calls refused that must not run, {stopped} of {} other calls refused\n",
        flows.len(),
        caught + missed,
        work + stopped
    );
    times().await?;
    history().await
}

struct Call<'c> {
    tool: &'c str,
    arguments: Value,
    fails: bool,
    is_refused: bool,
}

impl<'c> Call<'c> {
    /// Reads `refund { "order_id": 7 } refused`.
    fn read(line: &'c str) -> Result<Self> {
        let (line, is_refused) = line.strip_suffix(" refused").map_or((line, false), |line| (line, true));
        let (line, fails) = line.strip_suffix(" fails").map_or((line, false), |line| (line, true));
        let (tool, arguments) = line.split_once(' ').unwrap_or((line, "{}"));
        Ok(Self { tool, arguments: serde_json::from_str(arguments)?, fails, is_refused })
    }

    /// Returns whether a rule has refused the call.
    async fn make(&self, rails: &Rails, ctx: &mut RunContext) -> Result<bool> {
        let body = |_| async {
            let output = if self.fails { ToolOutput::error("failed") } else { ToolOutput::text("done") };
            Ok::<_, OperationError>(output)
        };
        let call = ToolCallInputs::new(self.tool).with_arguments(self.arguments.clone());
        Ok(rails.guard_tool_call(call, ctx, body).await?.content.contains("sequence/"))
    }
}

fn rails(rules: &[SequenceRule]) -> Result<Rails> {
    let config = SequenceConfig { rules: rules.to_vec(), ..SequenceConfig::default() };
    Ok(Rails { sequence: Sequence::new(config)? })
}

/// Prints the time that rules add to a call: from its beginning to its end, with a store in memory.
async fn times() -> Result<()> {
    println!("| rules | call | time |\n|---|---|---|");
    for (name, rules, tool, before) in [
        ("4 rules about other tools", &FOUR[..], "search", 0),
        ("`refund only after approve within 1h same order_id`", &FOUR[..1], "refund", 0),
        ("`never send_mail after read_web`, after nothing", &FOUR[1..2], "send_mail", 0),
        ("`at most 1_000 refund within 1d`, after 10 calls", &FOUR[2..3], "refund", 10),
        ("`at most 1_000 refund within 1d`, after 500 calls", &FOUR[2..3], "refund", 500),
        ("all four", &FOUR[..], "refund", 10),
    ] {
        let rules: Vec<SequenceRule> = rules.iter().map(|rule| rule.parse()).collect::<std::result::Result<_, _>>()?;
        let (none, rails) = (self::rails(&[])?, self::rails(&rules)?);
        let arguments = json!({ "order_id": 1042, "amount": 1, "text": "x".repeat(200) });
        let mut ctx = RunContext::new("figures");
        let call = |tool| Call { tool, arguments: arguments.clone(), fails: false, is_refused: false };
        call("approve").make(&rails, &mut ctx).await?;
        for _ in 0..before {
            call(tool).make(&rails, &mut ctx).await?;
        }
        let without = time(&none, &call(tool), &mut ctx).await?;
        let with = time(&rails, &call(tool), &mut ctx).await?;
        println!("| {name} | `{tool}` | {} |", Micros(with.saturating_sub(without)));
    }
    Ok(())
}

/// Returns the median time of a call.
async fn time(rails: &Rails, call: &Call<'_>, ctx: &mut RunContext) -> Result<std::time::Duration> {
    let mut times = Vec::new();
    for _ in 0..301 {
        let start = Instant::now();
        let is_refused = call.make(rails, ctx).await?;
        times.push(start.elapsed());
        if is_refused {
            return Err(format!("a rule refuses `{}`, so the time would be that of a refusal", call.tool).into());
        }
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

/// Prints the time of a call and the memory of the process after many calls, in one run with one order.
async fn history() -> Result<()> {
    let rules = [
        "refund only after approve within 1h same order_id",
        "at most 1_000_000 refund within 1d",
        "at most 1_000_000 refund per user",
        "sum of amount in refund at most 100_000_000 within 1d same order_id",
    ];
    let rules: Vec<SequenceRule> = rules.iter().map(|rule| rule.parse()).collect::<std::result::Result<_, _>>()?;
    let rails = rails(&rules)?;
    let mut ctx = RunContext::new("figures");
    ctx.run.insert(UserId::new("ada"));
    let arguments = json!({ "order_id": 1042, "amount": 1 });
    let call = |tool| Call { tool, arguments: arguments.clone(), fails: false, is_refused: false };
    call("approve").make(&rails, &mut ctx).await?;
    println!("\n| calls of the run before, four rules | a call | memory of the process |\n|---|---|---|");
    let mut made = 0;
    for before in [100, 1_000, 10_000, 100_000] {
        while made < before {
            if call("refund").make(&rails, &mut ctx).await? {
                return Err("a rule refuses a call of the history".into());
            }
            made += 1;
        }
        let time = time(&rails, &call("refund"), &mut ctx).await?;
        made += 301;
        println!("| {before} | {} | {:.1} MB |", Micros(time), resident()?);
    }
    Ok(())
}

const FOUR: [&str; 4] = [
    "refund only after approve within 1h same order_id",
    "never send_mail after read_web",
    "at most 1_000 refund within 1d",
    "sum of amount in refund at most 100_000 within 1d same order_id",
];
