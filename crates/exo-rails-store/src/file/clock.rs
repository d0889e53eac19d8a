//! Finds out whether the clock of this process agrees with those of the other processes.
//!
//! All processes on a machine share a second clock, which nobody can set: the time since the machine has started. The difference
//! of the two clocks is a number that stays. The file keeps it. If a process finds another number, its clock has been set, or the
//! clock of the process that has written the number. A long time without a change of the file is not a reason: both clocks go on.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::problem::Problem;

/// The largest difference between the clocks, in milliseconds.
pub(super) const TOLERANCE: i64 = 60_000;

/// How old the time of the last write in the file may be before it is written again, in milliseconds.
const STEP: u64 = 1_000;

/// The clocks of this process at one time.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    /// The system clock, in milliseconds since 1970.
    pub(super) wall: u64,
    /// The name of the clock since the start of the machine, and its time in milliseconds. `None` if the system has none.
    pub(super) since_start: Option<(String, u64)>,
}

impl Clocks {
    pub(super) fn now(wall: u64) -> Self {
        Self { wall, since_start: since_start() }
    }

    /// The difference of the two clocks.
    fn difference(&self) -> Option<(&str, i64)> {
        let (start, since_start) = self.since_start.as_ref()?;
        Some((start, self.wall.cast_signed().saturating_sub(since_start.cast_signed())))
    }

    /// Checks the clocks against the file.
    pub(super) fn check(&self, sql: &Connection) -> Result<Saved, Problem> {
        let read = "SELECT start, difference, latest FROM clock";
        let saved = sql
            .prepare_cached(read)?
            .query_row([], |row| Ok(Saved { start: row.get(0)?, difference: row.get(1)?, latest: row.get(2)? }));
        let Some(saved) = saved.optional()? else { return Ok(Saved::default()) };
        if let Some((start, difference)) = self.difference()
            && saved.start.as_deref() == Some(start)
        {
            let ahead = difference.saturating_sub(saved.difference);
            return if ahead.abs() > TOLERANCE { Err(Problem::Clock { ahead }) } else { Ok(saved) };
        }
        // The machine has started again, or has no such clock. Then only a clock that goes back is noticed.
        let behind = saved.latest.cast_signed().saturating_sub(self.wall.cast_signed());
        if behind > TOLERANCE { Err(Problem::Clock { ahead: -behind }) } else { Ok(saved) }
    }

    /// Writes the clocks to the file, if they have changed.
    pub(super) fn save(&self, sql: &Transaction<'_>, saved: &Saved) -> rusqlite::Result<()> {
        let (start, difference) = self.difference().unzip();
        if saved.start.as_deref() == start && self.wall < saved.latest.saturating_add(STEP) && saved.latest > 0 {
            return Ok(());
        }
        let write = "INSERT OR REPLACE INTO clock (id, start, difference, latest) VALUES (0, ?1, ?2, ?3)";
        sql.prepare_cached(write)?.execute(params![start, difference.unwrap_or_default(), self.wall]).map(drop)
    }
}

/// The clocks in the file.
#[derive(Debug, Default)]
pub(super) struct Saved {
    start: Option<String>,
    difference: i64,
    latest: u64,
}

/// Returns the name of the start of the machine, and the time since then. A container may have another time since the start, so
/// its time namespace is a part of the name.
#[cfg(target_os = "linux")]
fn since_start() -> Option<(String, u64)> {
    use std::sync::LazyLock;

    use rustix::time::{ClockId, clock_gettime};

    static START: LazyLock<Option<String>> = LazyLock::new(|| {
        let start = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let namespace = std::fs::read_link("/proc/self/ns/time").unwrap_or_default();
        Some(format!("{} {}", start.trim(), namespace.display()))
    });
    let time = clock_gettime(ClockId::Boottime);
    let time = Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?);
    Some((START.clone()?, crate::time::millis(time)))
}

#[cfg(not(target_os = "linux"))]
fn since_start() -> Option<(String, u64)> {
    None
}
