//! A slow disk, and the cost of a record.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use exo_rails::NoRails;
use exo_rails::prelude::*;
use exo_rails_guards::audit::{Audit, Sink, Verified, Verify, WhenFull};
use serde_json::json;

use crate::bench::{newlines, runtime};

const EVENTS: u64 = 100_000;

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
