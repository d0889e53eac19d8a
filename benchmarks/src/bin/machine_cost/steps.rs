//! A deterministic step: two states that lead to each other.

use std::hint::black_box;
use std::time::{Duration, Instant};

use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Definition, Executor};
use statig::prelude::*;

const STEPS: u32 = 50_000;
const ROUNDS: usize = 21;

type Error = Box<dyn std::error::Error>;

/// A way to take steps, which returns the time of all.
type Variant<'v> = (&'v str, &'v dyn Fn() -> Result<Duration, Error>);

/// Measures all variants in turns, and prints their medians.
pub(crate) fn measure() -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let plain = machine("a -> b; b -> a;")?;
    let conditions = machine("a -when: \"c.n < 5\"-> b; a -> z; b -when: \"c.n < 5\"-> a; b -> z;")?;
    let variants: [Variant<'_>; 4] = [
        ("a match, written by hand", &|| Ok(by_hand())),
        ("statig", &|| Ok(statig())),
        ("the executor", &|| runtime.block_on(executor(&plain))),
        ("the executor, with a condition in CEL", &|| runtime.block_on(executor(&conditions))),
    ];
    let mut times = vec![Vec::new(); variants.len()];
    for _ in 0..ROUNDS {
        for ((_, run), times) in variants.iter().zip(&mut times) {
            times.push(run()?);
        }
    }
    println!("a step, median of {ROUNDS} rounds");
    for ((name, _), times) in variants.iter().zip(times) {
        let nanoseconds = super::median(times).as_secs_f64() * 1e9 / f64::from(STEPS);
        println!("  {name}: {nanoseconds:.1} ns");
    }
    Ok(())
}

fn machine(edges: &str) -> Result<Definition, Error> {
    let file = format!("Context c {{ n<integer>: 1; }} State a; State b; State z; {edges}");
    Ok(exo_rails_dygram::read("flow.dygram", &file).into_result()?.into())
}

#[derive(Clone, Copy)]
enum Place {
    A,
    B,
}

/// A pure transition. It counts nothing and records nothing.
fn by_hand() -> Duration {
    let mut place = Place::A;
    let begin = Instant::now();
    for _ in 0..STEPS {
        place = match black_box(place) {
            Place::A => Place::B,
            Place::B => Place::A,
        };
    }
    black_box(place);
    begin.elapsed()
}

#[derive(Default)]
struct Flow;

struct Go;

#[state_machine(initial = "State::first()")]
impl Flow {
    #[state]
    fn first(event: &Go) -> Outcome<State> {
        let _ = event;
        Transition(State::second())
    }

    #[state]
    fn second(event: &Go) -> Outcome<State> {
        let _ = event;
        Transition(State::first())
    }
}

/// A pure transition with the entry and the exit of states. It counts nothing and records nothing.
fn statig() -> Duration {
    let mut flow = Flow.state_machine();
    let begin = Instant::now();
    for _ in 0..STEPS {
        flow.handle(black_box(&Go));
    }
    black_box(flow.state());
    begin.elapsed()
}

/// A step of the executor. It counts visits and steps, looks for circles, guards the transition, and adds a record with a time to
/// the history.
async fn executor(machine: &Definition) -> Result<Duration, Error> {
    let executor = Executor::builder(machine.clone(), "[]".parse::<ScriptedModel>()?)
        .until("b", STEPS / 2)
        .limits(|limits| (limits.steps, limits.visits) = (u64::MAX, u32::MAX))
        .build()?;
    let begin = Instant::now();
    let done = executor.run().await?;
    let elapsed = begin.elapsed();
    assert_eq!(done.history.steps.len(), STEPS as usize);
    Ok(elapsed)
}
