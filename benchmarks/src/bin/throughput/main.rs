//! Measures how many guarded tool calls a second pass through one chain. Many tasks make the calls, on one thread and on
//! two threads.
//!
//! ```text
//! cargo run --release -p benchmarks --bin throughput
//! cargo run --release -p benchmarks --bin throughput -- --json throughput.json
//! ```
//!
//! The first row has no chain. It shows the gain of a second thread on this machine.

mod rails;
mod report;

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use exo_rails::NoRails;
use exo_rails::prelude::*;
use tokio::runtime::{Builder, Runtime};

use rails::{InShares, Shared, Stateless};
use report::Row;

/// The number of concurrent tasks.
const TASKS: u64 = 64;

/// The number of calls of each task.
const CALLS: u64 = 2_000;

/// The number of measurements of each case, in turns.
const ROUNDS: usize = 31;

/// The limit is larger than the number of calls, so it is checked but never reached.
const LIMIT: u64 = u64::MAX / 2;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let json = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--json", path] => Some(path.to_owned()),
        _ => return Err("usage: cargo run --release -p benchmarks --bin throughput [-- --json FILE]".into()),
    };
    let runtimes = [runtime(1)?, runtime(2)?];
    let mut rows = ["no chain", "stateless", "shared", "in shares"].map(Row::new);
    for _ in 0..ROUNDS {
        for (threads, runtime) in runtimes.iter().enumerate() {
            for row in &mut rows {
                row.operations[threads].push(measure(row.chain, runtime)?);
            }
        }
    }
    report::print(&rows, json.as_deref())
}

fn runtime(threads: usize) -> Result<Runtime> {
    Ok(Builder::new_multi_thread().worker_threads(threads).build()?)
}

/// Measures one case once. Returns the operations a second.
fn measure(chain: &str, runtime: &Runtime) -> Result<f64> {
    match chain {
        "no chain" => timed(runtime, &Arc::new(NoRails), unguarded),
        "stateless" => timed(runtime, &Arc::new(Stateless {}), guarded),
        "shared" => {
            let rails = Arc::new(Shared::new(LIMIT));
            let operations = timed(runtime, &rails, guarded)?;
            counted(rails.calls())?;
            Ok(operations)
        }
        _ => {
            let rails = Arc::new(InShares::new(LIMIT));
            let operations = timed(runtime, &rails, guarded)?;
            counted(rails.calls())?;
            Ok(operations)
        }
    }
}

/// Checks that every call is counted exactly once.
fn counted(calls: u64) -> Result<()> {
    if calls == TASKS * CALLS { Ok(()) } else { Err(format!("{calls} of {} calls are counted", TASKS * CALLS).into()) }
}

/// Runs the calls of all tasks. Returns the operations a second.
fn timed<R, F>(runtime: &Runtime, rails: &Arc<R>, calls: fn(Arc<R>) -> F) -> Result<f64>
where
    R: Send + Sync + 'static,
    F: Future<Output = Result<()>> + Send + 'static,
{
    // All tasks run on the worker threads. The main thread only waits.
    let tasks = (0..TASKS).map(|_| Arc::clone(rails)).collect::<Vec<_>>();
    runtime.block_on(async {
        let start = Instant::now();
        let tasks: Vec<_> = tasks.into_iter().map(|rails| tokio::spawn(calls(rails))).collect();
        for task in tasks {
            task.await??;
        }
        Ok(report::a_second(TASKS * CALLS, start.elapsed()))
    })
}

/// Makes the calls of one task, guarded.
async fn guarded<R: GuardSet>(rails: Arc<R>) -> Result<()> {
    let mut ctx = RunContext::new("throughput");
    for call in 0..CALLS {
        let tool = |call: Permit<ToolCallInputs>| async move { Ok::<_, OperationError>(output(&call)) };
        black_box(rails.guard_tool_call(inputs(), &mut ctx, tool).await?);
        yield_after(call).await;
    }
    Ok(())
}

/// Makes the same calls without a guard.
async fn unguarded(_: Arc<NoRails>) -> Result<()> {
    for call in 0..CALLS {
        black_box(output(black_box(&inputs())));
        yield_after(call).await;
    }
    Ok(())
}

/// Yields now and then, like a task that waits for something.
async fn yield_after(call: u64) {
    if call % 64 == 63 {
        tokio::task::yield_now().await;
    }
}

fn inputs() -> ToolCallInputs {
    ToolCallInputs::new("search")
}

fn output(call: &ToolCallInputs) -> ToolOutput {
    ToolOutput::text(call.tool_name.as_str())
}
