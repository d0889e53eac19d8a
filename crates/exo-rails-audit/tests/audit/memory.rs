//! A slow disk, and the cost of a record.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

use exo_rails::NoRails;
use exo_rails::prelude::*;
use exo_rails_audit::{Audit, AuditConfig, Level, Sink, Verified, Verify, WhenFull};
use futures_util::FutureExt;
use proptest::prelude::*;
use serde_json::json;

use crate::bench::{newlines, runtime};

const EVENTS: u64 = 20_000;

/// The events that may be on their way: the queue, the messages that the writer takes at once, and the lines that it collects.
const CAPACITY: u64 = 64;
const ON_THE_WAY: u64 = CAPACITY + 256 + 64 * 1024 / 300;

/// Counts lines, and sleeps at each write.
#[derive(Clone, Default)]
struct SlowDisk {
    lines: Arc<AtomicU64>,
    log: Arc<std::sync::Mutex<Vec<u8>>>,
}

impl Write for SlowDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        thread::sleep(Duration::from_millis(1));
        let lines = newlines(bytes);
        self.log.lock().unwrap().extend_from_slice(bytes);
        self.lines.fetch_add(lines as u64, Ordering::SeqCst);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for SlowDisk {}

/// Dispatches many events. Returns the most events that were on their way at once, and what the log has.
fn run(when_full: WhenFull) -> (u64, Verified) {
    let disk = SlowDisk::default();
    let most = runtime().block_on(async {
        let config = Audit::builder().capacity(64).when_full(when_full);
        let audit = Audit::to_sink(config, disk.clone()).unwrap();
        let rails = audit.wrap(NoRails);
        let (mut call, mut ctx) = (ToolCallInputs::new("search"), RunContext::new("desk"));
        let mut most = 0;
        for event in 1..=EVENTS {
            let _ = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
            // The line `open` is not an event.
            most = most.max((event + 1).saturating_sub(disk.lines.load(Ordering::SeqCst)));
        }
        audit.close().await.unwrap();
        most
    });
    let log = disk.log.lock().unwrap();
    (most, Verify::new().reader(&log[..]).unwrap())
}

/// A run waits for a slow disk, so its records need a fixed amount of memory.
#[test]
fn a_slow_disk_needs_no_more_memory() {
    let (most, verified) = run(WhenFull::Wait);
    assert_eq!((verified.events, verified.lost), (EVENTS, 0));
    assert!(most <= ON_THE_WAY, "{most} events were on their way");
}

/// With `drop`, the log counts every record that it does not have.
#[test]
fn dropped_records_are_counted() {
    let (_, verified) = run(WhenFull::Drop);
    assert_eq!(verified.events + verified.lost, EVENTS);
    assert!(verified.lost > EVENTS / 2, "{} were lost", verified.lost);
}

/// The allocations of a dispatch on its thread. The writer makes the JSON, the hash and the signature.
#[test]
fn a_record_needs_few_allocations() {
    let allocations = |size: usize| {
        let runtime = runtime();
        let audit = Audit::to_sink(Audit::builder().capacity(4096), io_sink()).unwrap();
        let rails = audit.wrap(NoRails);
        let text = "x".repeat(size);
        let mut call = ToolCallInputs::new("search").with_arguments(json!({ "text": text }));
        let mut ctx = RunContext::new("desk");
        let mut dispatch = || {
            runtime.block_on(async {
                let _ = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
            });
        };
        for _ in 0..100 {
            dispatch();
        }
        allocation_counter::measure(|| (0..100).for_each(|_| dispatch())).count_total
    };
    let (small, large) = (allocations(10), allocations(100_000));
    println!("{small} allocations for 100 dispatches with a small payload, {large} with a large one");
    // The queue allocates a block from time to time.
    assert!(small <= 750, "{small}");
    assert!(large <= small + 10, "{large}, but {small} with a small payload");
}

fn io_sink() -> impl Sink {
    SlowDisk::default()
}

/// A disk that writes nothing until it is let go. A test that fails lets it go too, so that the audit can end.
#[derive(Clone, Default)]
struct Gate {
    is_open: Arc<(Mutex<bool>, Condvar)>,
    log: Arc<Mutex<Vec<u8>>>,
}

impl Gate {
    fn open(&self) {
        *self.is_open.0.lock().unwrap() = true;
        self.is_open.1.notify_all();
    }

    fn verified(&self) -> Verified {
        Verify::new().reader(&self.log.lock().unwrap()[..]).unwrap()
    }
}

/// Lets a disk go.
struct OpensAtEnd(Gate);

impl Drop for OpensAtEnd {
    fn drop(&mut self) {
        self.0.open();
    }
}

impl Write for Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = self.log.lock().unwrap();
        // The first line, which opens the log, passes.
        if !log.is_empty() {
            drop(log);
            let is_open = self.is_open.0.lock().unwrap();
            drop(self.is_open.1.wait_while(is_open, |is_open| !*is_open).unwrap());
            log = self.log.lock().unwrap();
        }
        log.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Gate {}

const MB: usize = 1 << 20;

/// Dispatches a tool call with an argument of this size.
async fn sized(audit: &Audit, bytes: usize) {
    let rails = audit.wrap(NoRails);
    let mut call = ToolCallInputs::new("write").with_arguments(json!({ "text": "x".repeat(bytes) }));
    let decision = rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("desk")).await;
    assert!(decision.unwrap().is_continue());
}

/// The same. Returns whether the audit has taken the record without waiting.
fn at_once(audit: &Audit, bytes: usize) -> bool {
    sized(audit, bytes).now_or_never().is_some()
}

/// While the disk writes nothing, the audit takes records of one megabyte up to the bytes of the queue, and one that the writer
/// has. Then runs wait, also with room for a thousand records. Dispatches that nobody waits for any more lose no record.
#[test]
fn the_bytes_of_waiting_records_are_bounded() {
    let gate = Gate::default();
    let taken = runtime().block_on(async {
        let config = Audit::builder().capacity(1_000).capacity_bytes(8 * MB + 100_000).level(Level::Full);
        let audit = Audit::to_sink(config, gate.clone()).unwrap();
        let _opens = OpensAtEnd(gate.clone());
        let mut taken = 0;
        while taken < 100 && at_once(&audit, MB) {
            taken += 1;
        }
        assert!((8..=9).contains(&taken), "{taken} records of a megabyte");
        assert!(!at_once(&audit, 10), "a small record overtakes");
        gate.open();
        audit.close().await.unwrap();
        taken
    });
    // The two dispatches that were dropped while they waited have records too.
    assert_eq!((gate.verified().events, gate.verified().lost), (taken + 2, 0));
}

/// A record that is larger than the queue waits until the queue is empty, and no record is lost or overtaken.
#[test]
fn a_record_that_is_larger_than_the_queue_passes_alone() {
    let gate = Gate::default();
    runtime().block_on(async {
        let config = Audit::builder().capacity_bytes(10_000).level(Level::Full);
        let audit = Audit::to_sink(config, gate.clone()).unwrap();
        gate.open();
        for bytes in [10, 3 * MB, 10, 20_000, 9_000, 10] {
            sized(&audit, bytes).await;
        }
        audit.close().await.unwrap();
    });
    assert_eq!((gate.verified().events, gate.verified().lost), (6, 0));
}

/// With `drop`, records without room for their bytes are counted.
#[test]
fn records_without_room_for_their_bytes_are_dropped_and_counted() {
    let gate = Gate::default();
    runtime().block_on(async {
        let config = Audit::builder().capacity_bytes(4 * MB).level(Level::Full).when_full(WhenFull::Drop);
        let audit = Audit::to_sink(config, gate.clone()).unwrap();
        let _opens = OpensAtEnd(gate.clone());
        for _ in 0..50 {
            assert!(at_once(&audit, MB));
        }
        gate.open();
        audit.close().await.unwrap();
    });
    let verified = gate.verified();
    assert_eq!(verified.events + verified.lost, 50);
    assert!((3..=5).contains(&verified.events), "{}", verified.events);
}

#[test]
fn a_queue_of_0_bytes_is_refused() {
    let error = Audit::to_sink(AuditConfig { capacity_bytes: 0, ..Audit::builder() }, Vec::new()).unwrap_err();
    assert!(error.to_string().starts_with("`capacity_bytes`: 0 bytes: write a number from 1 to "), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Many tasks with records of all sizes, in a small queue on several threads: each record is in the log once, and the
    /// records of a task are in their order.
    #[test]
    fn no_record_is_lost_in_a_small_queue(
        sizes in prop::collection::vec(prop::collection::vec(0..3_000_usize, 1..12), 1..24),
        capacity in 1..8_usize,
        capacity_bytes in 1..6_000_usize,
    ) {
        let gate = Gate::default();
        gate.open();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
        runtime.block_on(async {
            let config = Audit::builder().capacity(capacity).capacity_bytes(capacity_bytes).level(Level::Full);
            let audit = Audit::to_sink(config, gate.clone()).unwrap();
            let tasks: Vec<_> = sizes.iter().cloned().enumerate().map(|(task, sizes)| {
                let rails = audit.wrap(NoRails);
                tokio::spawn(async move {
                    let mut ctx = RunContext::new("desk");
                    for (number, bytes) in sizes.into_iter().enumerate() {
                        let arguments = json!({ "task": task, "number": number, "text": "x".repeat(bytes) });
                        let mut call = ToolCallInputs::new("write").with_arguments(arguments);
                        let _ = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
                    }
                })
            }).collect();
            for task in tasks {
                task.await.unwrap();
            }
            audit.close().await.unwrap();
        });
        let verified = gate.verified();
        prop_assert_eq!((verified.events, verified.lost), (sizes.iter().map(|sizes| sizes.len() as u64).sum(), 0));
        let mut next = vec![0; sizes.len()];
        for line in crate::bench::lines(&gate.log.lock().unwrap()) {
            let arguments = &line["event"]["payload"]["call"]["arguments"];
            if let Some(task) = arguments["task"].as_u64() {
                let expected = &mut next[usize::try_from(task).unwrap()];
                prop_assert_eq!(arguments["number"].as_u64(), Some(*expected));
                *expected += 1;
            }
        }
    }
}
