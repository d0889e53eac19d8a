//! Thousands of runs at once, drawn from a seed: what each has recorded is held against what is promised.
//!
//! `EXO_RAILS_SOAK_SECONDS` says how long, `EXO_RAILS_SOAK_SEED` with which seed it begins. What is drawn depends on the
//! seed alone; in which order it happens, and which rail takes too long, also on the machine.

mod checker;
mod coverage;
mod life;
mod operations;
mod plan;
mod rails;
mod random;
mod suspended;
mod trace;

use std::env;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use coverage::Coverage;
use rails::Sets;
use random::Random;
use trace::Run;

/// How many runs there are at once.
const AT_ONCE: usize = 2000;

/// A run that takes so long does not end by itself, however busy the machine is.
const HANGS: Duration = Duration::from_mins(5);

/// How many seeds are run when nobody says how long: as many as what is required needs to happen.
const SEEDS: u64 = 2;

fn variable(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text}")))
}

/// Panics of rails are part of the game.
fn be_quiet_about_what_is_on_purpose() {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let on_purpose = |text: &str| text.strip_prefix(rails::ON_PURPOSE).is_some_and(|rest| rest.starts_with(' '));
        if !info.payload_as_str().is_some_and(on_purpose) {
            hook(info);
        }
    }));
}

/// Runs so many at once, and gives them back when all have ended.
async fn all(seed: u64, count: usize, sets: &Sets, live: &Arc<AtomicI64>) -> Vec<Arc<Run>> {
    let mut running = Vec::with_capacity(count);
    for number in 0..count {
        let of_run = Random::of(&[seed, number as u64]).next();
        let (run, sets) = (Run::new(of_run, live), sets.clone());
        let lives = Arc::clone(&run);
        running.push((run, tokio::spawn(async move { life::live(&lives, &sets).await })));
    }
    let mut runs = Vec::with_capacity(count);
    for (number, (run, task)) in running.into_iter().enumerate() {
        match timeout(HANGS, task).await {
            Ok(Ok(())) => runs.push(run),
            Ok(Err(error)) => fail(seed, number, &run, &error.to_string()),
            Err(_) => fail(seed, number, &run, "it does not end"),
        }
    }
    runs
}

/// Says which run it was, and what has happened in it.
fn fail(seed: u64, number: usize, run: &Run, text: &str) -> ! {
    let entries = run.entries();
    let trace: Vec<_> = entries.iter().enumerate().map(|(at, entry)| format!("{at:>5} {entry:?}")).collect();
    let told = run.told();
    panic!("seed {seed}, run {number}: {text}\n{:#?}\n{}\ntold {told:?}", run.plan, trace.join("\n"));
}

fn check(seed: u64, runs: Vec<Arc<Run>>, coverage: &mut Coverage) {
    for (number, run) in runs.iter().enumerate() {
        if let Err(text) = checker::check(run, coverage) {
            fail(seed, number, run, &text);
        }
    }
    for (number, run) in runs.into_iter().enumerate() {
        assert_eq!(Arc::strong_count(&run), 1, "seed {seed}, run {number}: somebody still has it");
    }
}

/// Tasks that have been awaited may take a moment to be gone.
fn no_tasks_are_left(runtime: &Runtime) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while runtime.metrics().num_alive_tasks() > 0 {
        assert!(Instant::now() < deadline, "{} tasks are left", runtime.metrics().num_alive_tasks());
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn soak(runtime: &Runtime, seed: u64, sets: &Sets, coverage: &mut Coverage) {
    let live = Arc::new(AtomicI64::new(0));
    let runs = runtime.block_on(all(seed, AT_ONCE, sets, &live));
    no_tasks_are_left(runtime);
    check(seed, runs, coverage);
    assert_eq!(live.load(Ordering::Relaxed), 0, "seed {seed}: something was not dropped");
}

#[test]
fn random_runs_keep_all_promises() {
    be_quiet_about_what_is_on_purpose();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let (sets, mut coverage, began) = (Sets::new(), Coverage::default(), Instant::now());
    let seconds = variable("EXO_RAILS_SOAK_SECONDS").map(Duration::from_secs);
    let first = variable("EXO_RAILS_SOAK_SEED").unwrap_or(1);
    let mut seeds = 0;
    while seeds < SEEDS || seconds.is_some_and(|seconds| began.elapsed() < seconds) {
        soak(&runtime, first + seeds, &sets, &mut coverage);
        seeds += 1;
    }
    println!("{seeds} seeds from {first} in {:?}\n{coverage}", began.elapsed());
    assert!(coverage.missing().is_empty(), "too seldom: {:#?}", coverage.missing());
}

#[test]
fn suspended_runs_can_be_resumed_or_cancelled() {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let first = variable("EXO_RAILS_SOAK_SEED").unwrap_or(1);
    let seen = runtime.block_on(suspended::all(first, 300));
    no_tasks_are_left(&runtime);
    println!("{seen:?}");
    for what in ["answered", "cancelled while a rail waits", "questions"] {
        assert!(seen.get(what).is_some_and(|times| *times >= 20), "{what} too seldom: {seen:?}");
    }
}

/// The same runs twice, on one thread and with a clock of their own: the second time, all that they allocate they free.
#[test]
fn runs_free_all_memory_that_they_allocate() {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let (sets, live) = (Sets::new(), Arc::new(AtomicI64::new(0)));
    let batch = || drop(runtime.block_on(all(7, 300, &sets, &live)));
    batch();
    let second = allocation_counter::measure(batch);
    assert!(second.count_total > 10_000);
    assert_eq!((second.count_current, second.bytes_current), (0, 0));
}
