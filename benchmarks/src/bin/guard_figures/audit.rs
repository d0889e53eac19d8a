//! The audit log: what a record costs, what a check costs and finds, and memory.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use exo_rails::NoRails;
use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails_guards::audit::{Audit, AuditConfig, AuditKey, Head, Level, Sink, Verify};
use serde_json::json;

use crate::Failure;
use crate::memory::resident;
use crate::time::{Micros, median};

/// The most bytes of a queue, so that no run waits while the hot path is measured.
const MOST: usize = u32::MAX as usize;

pub(crate) async fn measure() -> Result<(), Failure> {
    hot_path().await?;
    throughput().await?;
    memory().await?;
    detection().await
}

fn key() -> AuditKey {
    AuditKey::from_seed(&[7; 32])
}

fn open(config: AuditConfig, is_signed: bool) -> Result<Audit, Failure> {
    Ok(if is_signed { Audit::with_key(config, key())? } else { Audit::new(config)? })
}

fn call(bytes: usize) -> ToolCallInputs {
    ToolCallInputs::new("search").with_arguments(json!({ "query": "x".repeat(bytes) }))
}

/// A folder that is removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("guard-figures-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    fn log(&self) -> std::path::PathBuf {
        self.0.join("audit.jsonl")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that remains does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The time of a dispatch with the audit, less the time without it.
async fn hot_path() -> Result<(), Failure> {
    println!("| arguments of the call | time of the run for a record |\n|---|---|");
    for (bytes, calls) in [(100, 20_000), (10_000, 4_000), (1 << 20, 200)] {
        let folder = Folder::new("hot")?;
        let config = Audit::builder().path(folder.log()).capacity(1 << 20).capacity_bytes(MOST).sync(false);
        let audit = config.build()?;
        let rails = audit.wrap(NoRails);
        let (mut call, mut ctx) = (call(bytes), RunContext::new("figures"));
        let mut times = Vec::new();
        for number in 0..calls {
            let start = Instant::now();
            let _ = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await?;
            times.push(start.elapsed());
            if number % 100 == 0 {
                audit.flush().await?;
            }
        }
        times.sort_unstable();
        let bare = median(|| std::hint::black_box(call.clone())).0;
        println!("| {bytes} bytes | {} (a copy of the call takes {}) |", Micros(times[times.len() / 2]), Micros(bare));
        audit.close().await?;
    }
    let conversation: Vec<Message> = (0..500).map(|_| Message::user("x".repeat(400))).collect();
    let audit = Audit::to_sink(Audit::builder().capacity(1 << 20).capacity_bytes(MOST), io_sink())?;
    let rails = audit.wrap(NoRails);
    let (mut request, mut ctx) = (ModelCallInputs::new(conversation), RunContext::new("figures"));
    let mut times = Vec::new();
    for number in 0..2_000 {
        let start = Instant::now();
        let _ = rails.dispatch::<PreLlmCall>(&mut request, &mut ctx).await?;
        times.push(start.elapsed());
        if number % 50 == 0 {
            audit.flush().await?;
        }
    }
    times.sort_unstable();
    println!("| a model call with 500 messages of 400 bytes | {} |", Micros(times[times.len() / 2]));
    Ok(())
}

/// Records per second, from the first dispatch until the log is on the disk, and the time of a check.
async fn throughput() -> Result<(), Failure> {
    println!("\n| log | records | bytes of a line | records per second | check |\n|---|---|---|---|---|");
    let rows = [
        ("metadata", Level::Metadata, false, 0, 200_000_u32),
        ("metadata, signed each 64 records", Level::Metadata, true, 64, 200_000),
        ("metadata, signed each record", Level::Metadata, true, 1, 50_000),
        ("full, 10 kB of arguments", Level::Full, false, 0, 20_000),
    ];
    for (name, level, is_signed, seal_every, records) in rows {
        let folder = Folder::new("written")?;
        let audit = open(Audit::builder().path(folder.log()).level(level).seal_every(seal_every), is_signed)?;
        let rails = audit.wrap(NoRails);
        let (mut call, mut ctx) = (call(if level == Level::Full { 10_000 } else { 100 }), RunContext::new("figures"));
        let start = Instant::now();
        for _ in 0..records {
            let _ = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await?;
        }
        audit.close().await?;
        let per_second = f64::from(records) / start.elapsed().as_secs_f64();
        let bytes = fs::metadata(folder.log())?.len();
        let check = check_time(&folder.log(), is_signed)?;
        let megabytes = f64::from(u32::try_from(bytes >> 10)?) / 1024.0;
        println!(
            "| {name} | {records} | {} | {per_second:.0} | {:.2} ms per MB |",
            bytes / u64::from(records),
            check.as_secs_f64() * 1e3 / megabytes
        );
    }
    Ok(())
}

fn check_time(log: &Path, is_signed: bool) -> Result<Duration, Failure> {
    let verify = if is_signed { Verify::new().key(key().public()) } else { Verify::new() };
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        verify.log(log)?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}

/// A sink that keeps nothing, and is slow.
struct Nothing(Duration);

fn io_sink() -> impl Sink {
    Nothing(Duration::ZERO)
}

impl Write for Nothing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        std::thread::sleep(self.0);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Nothing {}

/// The memory of a run with a million records and a slow disk. Some records have a megabyte.
async fn memory() -> Result<(), Failure> {
    println!("\n| records | memory of the process |\n|---|---|");
    let audit = Audit::to_sink(Audit::builder().level(Level::Full), Nothing(Duration::from_micros(200)))?;
    let rails = audit.wrap(NoRails);
    let (mut small, mut large, mut ctx) = (call(200), call(1 << 20), RunContext::new("figures"));
    let mut most: f64 = 0.0;
    for number in 0..=1_000_000_u32 {
        if [0, 1_000, 10_000, 100_000, 1_000_000].contains(&number) {
            println!("| {number} | {:.1} MB |", resident()?);
        }
        let call = if number % 1_000 < 40 && number < 100_000 { &mut large } else { &mut small };
        let _ = rails.dispatch::<PreToolCall>(call, &mut ctx).await?;
        if number % 10 == 0 {
            most = most.max(resident()?);
        }
    }
    audit.close().await?;
    println!("\nat most {most:.1} MB; the first 100 000 have 4 000 records of a megabyte");
    Ok(())
}

/// The lines of a log.
fn lines(log: &[u8]) -> Vec<&[u8]> {
    log.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Writes a log with these sessions of three calls each.
async fn log(sessions: usize, is_signed: bool) -> Result<(Vec<u8>, Head), Failure> {
    let folder = Folder::new("changed")?;
    let mut head = None;
    for _ in 0..sessions {
        let audit = open(Audit::builder().path(folder.log()).seal_every(2).sync(false), is_signed)?;
        let rails = audit.wrap(NoRails);
        for _ in 0..3 {
            let _ = rails.dispatch::<PreToolCall>(&mut call(10), &mut RunContext::new("figures")).await?;
        }
        head = Some(audit.close().await?);
    }
    Ok((fs::read(folder.log())?, head.ok_or("the log has no session")?))
}

/// Changes a log in every way of a kind, and counts the changes that a check finds.
async fn detection() -> Result<(), Failure> {
    for is_signed in [false, true] {
        let (log, head) = log(2, is_signed).await?;
        let (other, _) = self::log(2, false).await?;
        let all = lines(&log);
        println!(
            "\nlog of {} lines and {} bytes in two sessions, {}\n",
            all.len(),
            log.len(),
            if is_signed { "signed" } else { "not signed" }
        );
        println!("| change | tried | found | found with the head |\n|---|---|---|---|");
        let plain = if is_signed { Verify::new().key(key().public()) } else { Verify::new() };
        let with_head = plain.clone().expect(head);
        for (name, verify) in [("no change", &plain), ("no change, with the head", &with_head)] {
            println!("| {name} | 1 | {} | |", u8::from(verify.reader(&log[..]).is_err()));
        }
        let report = |name: &str, changed: &mut dyn Iterator<Item = Vec<u8>>| {
            let [mut tried, mut found, mut with] = [0_u64; 3];
            for changed in changed.filter(|changed| *changed != log) {
                tried += 1;
                found += u64::from(plain.reader(&changed[..]).is_err());
                with += u64::from(with_head.reader(&changed[..]).is_err());
            }
            println!("| {name} | {tried} | {found} | {with} |");
        };
        let place = |place: usize, with: &[u8], skip: usize| [&log[..place], with, &log[place + skip..]].concat();
        let bytes = || (0..log.len()).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte)));
        report("a byte has another value", &mut bytes().map(|(at, byte)| place(at, &[byte], 1)));
        report("a byte is removed", &mut (0..log.len()).map(|at| place(at, &[], 1)));
        report("a byte is inserted", &mut bytes().step_by(5).map(|(at, byte)| place(at, &[byte], 0)));
        report("the end is cut off", &mut (0..log.len()).map(|at| log[..at].to_vec()));
        report("the beginning is cut off", &mut (1..log.len()).map(|at| log[at..].to_vec()));
        let numbers = 0..all.len();
        report(
            "lines are removed",
            &mut numbers.clone().flat_map(|from| {
                let all = &all;
                (from + 1..=all.len()).map(move |to| [&all[..from], &all[to..]].concat().concat())
            }),
        );
        report(
            "two lines are swapped",
            &mut numbers.clone().flat_map(|one| {
                let all = &all;
                (one + 1..all.len()).map(move |other| {
                    let mut swapped = all.clone();
                    swapped.swap(one, other);
                    swapped.concat()
                })
            }),
        );
        report(
            "a line is repeated",
            &mut numbers.clone().flat_map(|from| {
                let all = &all;
                (0..=all.len()).map(move |to| {
                    let mut more = all.clone();
                    more.insert(to, all[from]);
                    more.concat()
                })
            }),
        );
        let others = lines(&other);
        report(
            "a line of another log",
            &mut numbers.flat_map(|place| {
                let (all, others) = (&all, &others);
                others.iter().map(move |line| {
                    let mut mixed = all.clone();
                    mixed[place] = line;
                    mixed.concat()
                })
            }),
        );
        report("another log, with its own hashes and without a signature", &mut std::iter::once(other.clone()));
    }
    Ok(())
}
