//! Measures a kit of ten guards: what they cost a tool call, and a piece of a streamed answer.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, NoRails, StreamPiece};
use exo_rails_guards::Kit;
use exo_rails_guards::urls::{ResolveFuture, Resolver};
use futures_util::stream;
use serde_json::{Value, json};

use crate::measure::runtime;

/// The guards that most programs need, with rules as programs have them.
const GUARDS: &str = include_str!("kit.toml");

/// The pieces of a streamed answer.
const PIECES: u32 = 400;

/// A tool call that the guards allow, with its number in an argument: equal calls would be a loop.
type Call = fn(u64) -> (&'static str, Value);

const CALLS: [(&str, Call); 4] = [
    ("an order", |number| {
        (
            "refund",
            json!({ "order": format!("order-{number}"), "cents": 1_250, "reason": "The parcel arrived late, and the customer has \
            asked for a part of the price. The carrier has confirmed the delay." }),
        )
    }),
    ("a file", |number| ("read_file", json!({ "path": "src/main.rs", "from_line": number, "lines": 200 }))),
    ("a command", |number| {
        ("run", json!({ "command": format!("cargo test --workspace -- --nocapture case_{number} 2>&1 | tail -20") }))
    }),
    ("a URL", |number| {
        ("fetch", json!({ "url": format!("https://docs.example.com/guide/{number}?lang=en"), "timeout_s": 10 }))
    }),
];

/// Measures the kit, and writes the figures.
pub(crate) fn measure(rounds: u32, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let project = Project::new()?;
    let guards = GUARDS.replace("PROJECT", &project.0.display().to_string());
    let kit = Kit::builder().resolver(OneAddress).from_toml(&guards)?;
    let runtime = runtime()?;
    let mut number = 0;
    writeln!(out, "{:<24} {:>12} {:>12}", "ten guards", "µs median", "allocations")?;
    for (name, call) in CALLS {
        let mut once = |guarded: bool| {
            number += 1;
            let (tool, arguments) = call(number);
            let call = ToolCallInputs::new(tool).with_arguments(arguments);
            let mut ctx = RunContext::new("bench");
            let start = Instant::now();
            let output = runtime.block_on(async {
                if guarded {
                    kit.guard_tool_call(call, &mut ctx, run_tool).await
                } else {
                    NoRails.guard_tool_call(call, &mut ctx, run_tool).await
                }
            });
            (start.elapsed(), output)
        };
        let (_, output) = once(true);
        let output = output?;
        if output.is_error {
            return Err(format!("the kit refuses {name}: {}", output.content).into());
        }
        let allocations =
            |guarded: bool, once: &mut dyn FnMut(bool)| allocation_counter::measure(|| once(guarded)).count_total;
        let allocated = allocations(true, &mut |guarded| drop(once(guarded)))
            - allocations(false, &mut |guarded| drop(once(guarded)));
        let time = difference(rounds * 10, |guarded| once(guarded).0);
        writeln!(out, "{name:<24} {:>12.2} {allocated:>12}", time.as_secs_f64() * 1e6)?;
    }
    let piece = difference(rounds, |guarded| runtime.block_on(answer(&kit, guarded))) / PIECES;
    writeln!(out, "{:<24} {:>12.2}", "a piece of 50 bytes", piece.as_secs_f64() * 1e6)?;
    Ok(())
}

async fn run_tool(_: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text("done: 14 lines, no warnings"))
}

/// Streams an answer of many pieces.
async fn answer(kit: &Kit, guarded: bool) -> Duration {
    const TEXT: &str = "The order left the warehouse on Monday, as planned";
    let model = |_| stream::iter((0..PIECES).map(|_| Ok::<_, OperationError>(ModelDelta::Text(TEXT.to_owned()))));
    let sink = |piece: StreamPiece| {
        std::hint::black_box(piece);
        std::future::ready(())
    };
    let (call, mut ctx) = (ModelCallInputs::default(), RunContext::new("bench"));
    let start = Instant::now();
    let response = if guarded {
        kit.guard_stream(call, &mut ctx, model, sink).await
    } else {
        NoRails.guard_stream(call, &mut ctx, model, sink).await
    };
    let time = start.elapsed();
    if let Err(error) = response {
        eprintln!("the kit refuses the answer: {error}");
    }
    time
}

/// Returns the median of the time with guards, less the median without them. Both take turns.
fn difference(rounds: u32, mut time: impl FnMut(bool) -> Duration) -> Duration {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for guarded in [false, true] {
            times[usize::from(guarded)].push(time(guarded));
        }
    }
    let [without, with] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    });
    with.saturating_sub(without)
}

/// Answers at once, so that the time of the network does not count.
#[derive(Debug)]
struct OneAddress;

impl Resolver for OneAddress {
    fn resolve<'a>(&'a self, _: &'a str) -> ResolveFuture<'a> {
        Box::pin(async { Ok(vec![Ipv4Addr::new(93, 184, 215, 14).into()]) })
    }
}

/// A directory with a file, for the guard of paths.
struct Project(PathBuf);

impl Project {
    fn new() -> std::io::Result<Self> {
        let project = Self(std::env::temp_dir().join(format!("exo-rails-kit-{}", std::process::id())));
        fs::create_dir_all(project.0.join("src"))?;
        fs::write(project.0.join("src/main.rs"), "fn main() {}\n")?;
        Ok(project)
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
