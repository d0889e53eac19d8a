//! The operations on the tables of a state file.

use std::time::Duration;

use rusqlite::{OptionalExtension, Params, Row, Transaction, params};

use super::problem::Problem;
use crate::counter::{Level, MAX_AMOUNT};
use crate::time::{GRACE, after, between};
use crate::{Claim, Conflict, Expected, LogEntry, OverLimit, Record, Reservation, Version, Write};

/// The tables in a transaction, and the time of the transaction.
pub(super) struct Tables<'a> {
    pub(super) sql: &'a Transaction<'a>,
    pub(super) now: u64,
}

/// Statements that remove expired rows. Each removes a limited number of rows, so no operation takes long if many have expired.
const REMOVE_EXPIRED: [&str; 5] = [
    "DELETE FROM record WHERE rowid IN (SELECT rowid FROM record WHERE expires <= ?1 LIMIT 100)",
    "DELETE FROM counter WHERE rowid IN (SELECT rowid FROM counter WHERE resets <= ?1 LIMIT 100)",
    "DELETE FROM held WHERE rowid IN (SELECT rowid FROM held WHERE expires <= ?1 LIMIT 100)",
    "DELETE FROM reservation WHERE id IN (SELECT id FROM reservation WHERE expires <= ?1 - ?2 LIMIT 100)",
    "DELETE FROM log WHERE rowid IN (SELECT rowid FROM log WHERE expires <= ?1 LIMIT 10)",
];

impl Tables<'_> {
    fn execute(&self, sql: &str, params: impl Params) -> rusqlite::Result<usize> {
        self.sql.prepare_cached(sql)?.execute(params)
    }

    fn row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        self.sql.prepare_cached(sql)?.query_row(params, read).optional()
    }

    fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        self.sql.prepare_cached(sql)?.query_map(params, read)?.collect()
    }

    pub(super) fn remove_expired(&self) -> Result<(), Problem> {
        for sql in REMOVE_EXPIRED {
            let mut statement = self.sql.prepare_cached(sql)?;
            if statement.parameter_count() == 1 {
                statement.execute(params![self.now])?;
            } else {
                statement.execute(params![self.now, GRACE])?;
            }
        }
        Ok(())
    }

    fn next_number(&self) -> Result<u64, Problem> {
        let next = "UPDATE sequence SET last = last + 1 RETURNING last";
        Ok(self.sql.prepare_cached(next)?.query_row([], |row| row.get(0))?)
    }

    /// The random name of the file.
    fn epoch(&self) -> Result<String, Problem> {
        Ok(self.sql.prepare_cached("SELECT name FROM epoch")?.query_row([], |row| row.get(0))?)
    }

    pub(super) fn record(&self, key: &str) -> Result<Option<Record>, Problem> {
        let sql = "SELECT value, version, written FROM record WHERE key = ?1 AND (expires IS NULL OR expires > ?2)";
        self.row(sql, params![key, self.now], |row| {
            let age = between(row.get(2)?, self.now);
            Ok(Record { value: row.get(0)?, version: Version(row.get(1)?), age })
        })
        .map_err(|error| Problem::of_row(error, "record", key))
    }

    pub(super) fn compare_and_set(
        &self,
        key: &str,
        expected: Expected,
        write: Write<'_>,
    ) -> Result<Result<Version, Conflict>, Problem> {
        let found = self.record(key)?;
        if !expected.matches(found.as_ref().map(|record| record.version)) {
            return Ok(Err(Conflict { found }));
        }
        let version = self.next_number()?;
        match write {
            Write::Remove => self.execute("DELETE FROM record WHERE key = ?1", params![key])?,
            Write::Put(value, expires_in) => {
                let expires = expires_in.map(|expires_in| after(self.now, expires_in));
                let sql =
                    "INSERT OR REPLACE INTO record (key, value, version, written, expires) VALUES (?1, ?2, ?3, ?4, ?5)";
                self.execute(sql, params![key, value, version, self.now, expires])?
            }
        };
        Ok(Ok(Version(version)))
    }

    pub(super) fn level(&self, key: &str) -> Result<Level, Problem> {
        let used = "SELECT used, resets FROM counter WHERE key = ?1 AND (resets IS NULL OR resets > ?2)";
        let used = self.row(used, params![key, self.now], |row| Ok((row.get(0)?, row.get(1)?)));
        let used = used.map_err(|error| Problem::of_row(error, "counter", key))?;
        let (used, resets_at) = used.unwrap_or_default();
        let reserved = "SELECT coalesce(sum(amount), 0) FROM held WHERE key = ?1 AND expires > ?2";
        let reserved = self.row(reserved, params![key, self.now], |row| row.get(0));
        let reserved = reserved.map_err(|error| Problem::of_row(error, "held", key))?.unwrap_or_default();
        Ok(Level { used, resets_at, reserved })
    }

    pub(super) fn reserve(
        &self,
        claims: &[Claim<'_>],
        hold_for: Duration,
    ) -> Result<Result<Reservation, OverLimit>, Problem> {
        for (index, claim) in claims.iter().enumerate() {
            let level = self.level(claim.key)?;
            let earlier = claims[..index].iter().filter(|other| other.key == claim.key);
            let excess = level.excess(claim, earlier.map(|claim| claim.amount).sum());
            if excess > 0 {
                let held = self.held(claim.key)?.into_iter();
                return Ok(Err(level.over_limit(index, excess, held, self.now)));
            }
        }
        let id = self.next_number()?;
        let expires = after(self.now, hold_for);
        self.execute("INSERT INTO reservation (id, expires) VALUES (?1, ?2)", params![id, expires])?;
        for (index, claim) in claims.iter().enumerate() {
            let sql = "INSERT INTO held (reservation, claim, key, amount, expires) VALUES (?1, ?2, ?3, ?4, ?5)";
            self.execute(sql, params![id, index, claim.key, claim.amount, expires])?;
        }
        Ok(Ok(Reservation::new(format!("{}:{id}", self.epoch()?), claims, expires)))
    }

    /// The reserved amounts of a counter, with the times when they expire.
    fn held(&self, key: &str) -> Result<Vec<(u64, u64)>, Problem> {
        let sql = "SELECT expires, amount FROM held WHERE key = ?1 AND expires > ?2 ORDER BY expires";
        self.rows(sql, params![key, self.now], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(|error| Problem::of_row(error, "held", key))
    }

    pub(super) fn settle(&self, reservation: &Reservation, used: &[u64]) -> Result<(), Problem> {
        // Another file may have a reservation with the same number.
        let number = reservation.id.split_once(':').filter(|(epoch, _)| self.epoch().is_ok_and(|own| own == *epoch));
        let (_, number) = number.ok_or(Problem::OtherFile)?;
        // SQLite removes the amounts together with the reservation.
        let known = self.execute("DELETE FROM reservation WHERE id = ?1", params![number])? > 0;
        // The file would still have the reservation if nobody had settled it.
        if !known && self.now < reservation.expires_at.saturating_add(GRACE) {
            return Ok(());
        }
        for (claim, used) in reservation.claims.iter().zip(used).filter(|(_, used)| **used > 0) {
            let mut level = self.level(&claim.key)?;
            level.count(*used, claim.window.map(|window| after(self.now, window)));
            let sql = "INSERT OR REPLACE INTO counter (key, used, resets) VALUES (?1, ?2, ?3)";
            self.execute(sql, params![claim.key, level.used.min(MAX_AMOUNT), level.resets_at])?;
        }
        Ok(())
    }

    pub(super) fn forget(&self, counters: &[String]) -> Result<(), Problem> {
        let sql =
            "DELETE FROM counter WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM held WHERE key = ?1 AND expires > ?2)";
        Ok(counters.iter().try_for_each(|key| self.execute(sql, params![key, self.now]).map(drop))?)
    }

    pub(super) fn append(
        &self,
        key: &str,
        entry: &[u8],
        keep: usize,
        expires_in: Option<Duration>,
    ) -> Result<u64, Problem> {
        self.execute("DELETE FROM log WHERE key = ?1 AND expires <= ?2", params![key, self.now])?;
        let expires = expires_in.map(|expires_in| after(self.now, expires_in));
        let next = "INSERT INTO log (key, next, expires) VALUES (?1, 1, ?2)
                    ON CONFLICT (key) DO UPDATE SET next = next + 1, expires = ?2 RETURNING next";
        let next: u64 = self.sql.prepare_cached(next)?.query_row(params![key, expires], |row| row.get(0))?;
        let sql = "INSERT INTO entry (log, number, written, value) VALUES (?1, ?2, ?3, ?4)";
        self.execute(sql, params![key, next - 1, self.now, entry])?;
        let first = next.saturating_sub(keep.max(1) as u64);
        self.execute("DELETE FROM entry WHERE log = ?1 AND number < ?2", params![key, first])?;
        Ok(next - 1)
    }

    pub(super) fn entries(&self, key: &str) -> Result<Vec<LogEntry>, Problem> {
        let sql = "SELECT number, written, value FROM entry JOIN log ON log.key = entry.log
                   WHERE log = ?1 AND (expires IS NULL OR expires > ?2) ORDER BY number";
        self.rows(sql, params![key, self.now], |row| {
            Ok(LogEntry { number: row.get(0)?, age: between(row.get(1)?, self.now), value: row.get(2)? })
        })
        .map_err(|error| Problem::of_row(error, "entry", key))
    }
}
