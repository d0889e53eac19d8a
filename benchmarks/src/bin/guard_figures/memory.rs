//! The memory of the guards that remember something, in a run of a million calls.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use exo_rails::message::{Message, Usage};
use exo_rails::prelude::*;
use exo_rails::rail_chain;
use exo_rails_guards::circuit_breaker::Breaker;
use exo_rails_guards::rate_limits::RatedCalls;
use exo_rails_guards::store::{GuardStore, MemoryStore};
use exo_rails_guards::{CircuitBreaker, Kit};
use serde_json::json;

use crate::Failure;
use crate::time::Micros;

const CALLS: u64 = 1_000_000;

const KIT: &str = "
    [loops]

    [repetition]

    [budgets]
    limits = [
        { name = 'calls', of = 'tool_calls', most = 1_000_000_000 },
        { name = 'tokens', of = 'total_tokens', most = 1_000_000_000_000, window = 'day' },
        { name = 'user', of = 'output_bytes', most = 1_000_000_000_000, per = 'agent', window = 'hour' },
    ]

    [rate_limits]
    limits = [{ name = 'calls', of = 'tool_calls', calls = 1_000_000_000, every = 'second' }]

    [retry]
    idempotent = '*'
    min_delay_ms = 0
    max_delay_ms = 0
    max_retries = 1
    max_per_run = 1_000_000_000
";

rail_chain! { struct Guards { kit: Kit, breaker: CircuitBreaker } }

pub(crate) async fn measure() -> Result<(), Failure> {
    let store = Arc::new(MemoryStore::new());
    let breaker = Breaker::new("all", RatedCalls::ToolCalls, 1_000).failure_percent(100, 1_000);
    let guards = Guards {
        kit: Kit::builder().store(Arc::clone(&store)).from_toml(KIT)?,
        breaker: CircuitBreaker::builder().breakers([breaker]).build()?.with_store(GuardStore::new(store)),
    };
    let mut ctx = RunContext::new("memory");
    println!("| calls | memory of the process |\n|---|---|");
    let began = Instant::now();
    for number in 0..=CALLS {
        if [1_000, 10_000, 100_000, CALLS].contains(&number) {
            println!("| {number} | {:.1} MB |", resident()?);
        }
        step(&guards, number, &mut ctx).await?;
    }
    let each = Micros(began.elapsed() / u32::try_from(CALLS + 1)?);
    println!("\n{each} for each tool call with its model call, through all these guards");
    Ok(())
}

/// Makes a model call and a tool call. Some calls repeat an earlier one, and some fail.
async fn step(guards: &Guards, number: u64, ctx: &mut RunContext) -> Result<(), Failure> {
    ctx.set_step(u32::try_from(number)?);
    let usage = Usage { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, ..Usage::default() };
    let model = |_| {
        let usage = Some(usage.clone());
        async { Ok::<_, OperationError>(ModelResponse { usage, ..ModelResponse::text("I read the next file.") }) }
    };
    let request = ModelCallInputs::new(vec![Message::user("Read all files.")]);
    guards.guard_llm_call(request, ctx, model).await?;
    let path = if number.is_multiple_of(7) { 0 } else { number };
    let call =
        ToolCallInputs::new(format!("read_{}", number % 5)).with_arguments(json!({ "path": format!("src/{path}.rs") }));
    let tool = |call: Permit<ToolCallInputs>| async move {
        if number.is_multiple_of(3) && call.attempt() == 0 {
            return Err(OperationError::new(OperationErrorKind::Timeout, "slow"));
        }
        Ok(ToolOutput::text(format!("file {number}")))
    };
    guards.guard_tool_call(call, ctx, tool).await?;
    Ok(())
}

/// Returns the memory of this process in megabytes.
pub(crate) fn resident() -> Result<f64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("the system does not say the memory")?;
    let kilobytes: f64 = line.split_whitespace().nth(1).unwrap_or_default().parse()?;
    Ok(kilobytes / 1024.0)
}
