//! Loops: recorded runs that solved their task and that did not, and a set of histories.

mod cases;

use std::collections::BTreeMap;

use exo_rails::prelude::*;
use exo_rails::rail_chain;
use exo_rails_guards::Loops;
use exo_rails_guards::loops::{Levels, LoopsConfig};
use serde_json::json;

use crate::Failure;
use crate::corpora::Corpora;
use crate::tau_bench::{self, RecordedRun, Step};

rail_chain! { struct Guards { loops: Loops } }

/// What a guard did in a run.
#[derive(Default)]
struct Seen {
    warnings: usize,
    refused: usize,
    is_aborted: bool,
    /// The pattern of the first warning or refusal.
    first: Option<String>,
}

pub(crate) async fn measure(corpora: Option<&Corpora>) -> Result<(), Failure> {
    hand_written().await?;
    if let Some(corpora) = corpora {
        recorded(&tau_bench::runs(corpora)?).await?;
    }
    times().await
}

/// Replays the steps of a run.
async fn replay(config: LoopsConfig, steps: &[Step]) -> Result<Seen, Failure> {
    let guards = Guards { loops: config.build()? };
    let (mut ctx, mut seen) = (RunContext::new("replay"), Seen::default());
    for (number, step) in steps.iter().enumerate() {
        ctx.set_step(u32::try_from(number)?);
        for (number, (call, output)) in step.iter().enumerate() {
            let mut ctx = ctx.child().with_call_number(u32::try_from(number)?);
            let tool = |_| async { Ok::<_, OperationError>(output.clone()) };
            let reason = match guards.guard_tool_call(call.clone(), &mut ctx, tool).await {
                Ok(output) if output.content.contains("loops/") => {
                    seen.refused += 1;
                    output.content
                }
                Ok(_) => continue,
                Err(error) => {
                    seen.is_aborted = true;
                    error.to_string()
                }
            };
            seen.first.get_or_insert(reason);
            if seen.is_aborted {
                return Ok(seen);
            }
        }
        for warning in ctx.take_notices() {
            seen.warnings += 1;
            seen.first.get_or_insert_with(|| warning.text().into_owned());
        }
    }
    Ok(seen)
}

async fn hand_written() -> Result<(), Failure> {
    println!("histories      warned  refused  aborted  of");
    let mut wrong = Vec::new();
    for is_loop in [true, false] {
        let [mut warned, mut refused, mut aborted, mut all] = [0; 4];
        for case in cases::all().into_iter().filter(|case| case.is_loop == is_loop) {
            let step = |(tool, argument, result): cases::Call| {
                let call = ToolCallInputs::new(tool).with_arguments(json!({ "argument": argument }));
                let is_error = result.starts_with("error: ");
                vec![(call, ToolOutput { is_error, ..ToolOutput::text(result) })]
            };
            let seen = replay(LoopsConfig::default(), &case.calls.into_iter().map(step).collect::<Vec<_>>()).await?;
            all += 1;
            warned += usize::from(seen.warnings > 0);
            refused += usize::from(seen.refused > 0);
            aborted += usize::from(seen.is_aborted);
            if is_loop && !seen.is_aborted || !is_loop && seen.first.is_some() {
                let Seen { warnings, refused, is_aborted, first } = seen;
                let first = first.unwrap_or_default();
                wrong.push(format!(
                    "{}: {warnings} warnings, {refused} refused, aborted: {is_aborted}. {first}",
                    case.name
                ));
            }
        }
        println!("{:14} {warned:6} {refused:8} {aborted:8} {all:3}", if is_loop { "loops" } else { "work" });
    }
    println!("loops that do not end, and work that is stopped or warned about:");
    for case in &wrong {
        println!("  {case}");
    }
    Ok(())
}

/// Says how often each pattern occurs in runs that solved their task, and in the others, from each number of calls on.
async fn recorded(runs: &[RecordedRun]) -> Result<(), Failure> {
    let count = |is_solved: bool| runs.iter().filter(|run| run.is_solved == is_solved).count();
    println!("\ntau-bench: {} runs that solved their task, {} others", count(true), count(false));
    let off = || LoopsConfig {
        repetition: Levels::OFF,
        polling: Levels::OFF,
        oscillation: Levels::OFF,
        stagnation: Levels::OFF,
        redundancy: Levels::OFF,
        drift: Levels::OFF,
        ..LoopsConfig::default()
    };
    println!("pattern      from  solved  others");
    for number in 2..=4 {
        let levels = Levels::new(number, 0, 0);
        for (name, config) in [
            ("repetition", LoopsConfig { repetition: levels, ..off() }),
            ("polling", LoopsConfig { polling: levels, ..off() }),
            ("oscillation", LoopsConfig { oscillation: levels, ..off() }),
            ("stagnation", LoopsConfig { stagnation: levels, ..off() }),
            ("redundancy", LoopsConfig { redundancy: levels, ..off() }),
        ] {
            let mut found: BTreeMap<bool, usize> = BTreeMap::new();
            for run in runs {
                let seen = replay(config.clone(), &run.steps).await?;
                *found.entry(run.is_solved).or_default() += usize::from(seen.warnings > 0);
            }
            println!("{name:12} {number:4} {:7} {:7}", found[&true], found[&false]);
        }
    }
    println!("with the default configuration:");
    for run in runs {
        let Seen { warnings, refused, is_aborted, first } = replay(LoopsConfig::default(), &run.steps).await?;
        if let Some(first) = first {
            let solved = if run.is_solved { "solved" } else { "not solved" };
            println!("  {solved}: {warnings} warnings, {refused} refused, aborted: {is_aborted}. {first}");
        }
    }
    Ok(())
}

async fn times() -> Result<(), Failure> {
    let guards = Guards { loops: LoopsConfig::default().build()? };
    let mut ctx = RunContext::new("time");
    let mut call = ToolCallInputs::new("search").with_arguments(json!({ "q": "x".repeat(300), "page": 0, "size": 20 }));
    let mut output = ToolOutput::text("y".repeat(500));
    let (mut page, calls) = (0_u64, 1_000);
    let mut best = f64::MAX;
    for _ in 0..50 {
        let began = std::time::Instant::now();
        for _ in 0..calls {
            page += 1;
            call.arguments["page"] = page.into();
            let _ = guards.dispatch::<PreToolCall>(&mut call, &mut ctx).await?;
            let _ = guards.dispatch::<PostToolCall>((&call, &mut output), &mut ctx).await?;
        }
        best = best.min(began.elapsed().as_secs_f64() * 1e6 / f64::from(calls));
    }
    println!("\na call with 350 bytes of arguments and 500 bytes of output: {best:.2} µs");
    let large = ToolOutput::text("a1 ".repeat((16 << 20) / 3));
    for is_error in [false, true] {
        let mut output = ToolOutput { is_error, ..large.clone() };
        let began = std::time::Instant::now();
        let _ = guards.dispatch::<PreToolCall>(&mut call, &mut ctx).await?;
        let _ = guards.dispatch::<PostToolCall>((&call, &mut output), &mut ctx).await?;
        println!(
            "{} MB of output, error: {is_error}: {:.1} ms",
            output.content.len() >> 20,
            began.elapsed().as_secs_f64() * 1e3
        );
    }
    Ok(())
}
