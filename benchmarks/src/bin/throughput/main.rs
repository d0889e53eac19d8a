//! How many guarded tool calls a second go through one chain, from many tasks on one thread and on two.
//!
//! ```text
//! cargo run --release -p benchmarks --bin throughput
//! cargo run --release -p benchmarks --bin throughput -- --json throughput.json
//! ```
//!
//! The first row is no chain at all: what two threads of this machine can do more than one.

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

/// How many tasks there are at once.
const TASKS: u64 = 64;

/// How many calls each of them makes.
const CALLS: u64 = 2_000;

/// How often each case is timed, in turns.
const ROUNDS: usize = 31;

/// More than there are calls: the limit is asked, and never reached.
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

/// The operations a second of one case.
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

/// No call is lost, and none is counted twice.
fn counted(calls: u64) -> Result<()> {
    if calls == TASKS * CALLS { Ok(()) } else { Err(format!("{calls} of {} calls are counted", TASKS * CALLS).into()) }
}

/// Has all tasks make their calls; the operations a second.
fn timed<R, F>(runtime: &Runtime, rails: &Arc<R>, calls: fn(Arc<R>) -> F) -> Result<f64>
where
    R: Send + Sync + 'static,
    F: Future<Output = Result<()>> + Send + 'static,
{
    // On the workers from the start: the thread that waits here does none of the work.
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

/// The calls of one task, each guarded.
async fn guarded<R: GuardSet>(rails: Arc<R>) -> Result<()> {
    let mut ctx = RunContext::new("throughput");
    for call in 0..CALLS {
        let tool = |call: Permit<ToolCallInputs>| async move { Ok::<_, OperationError>(output(&call)) };
        black_box(rails.guard_tool_call(inputs(), &mut ctx, tool).await?);
        yield_after(call).await;
    }
    Ok(())
}

/// The same calls, with nothing around them.
async fn unguarded(_: Arc<NoRails>) -> Result<()> {
    for call in 0..CALLS {
        black_box(output(black_box(&inputs())));
        yield_after(call).await;
    }
    Ok(())
}

/// As tasks do that have something to wait for, now and then.
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
