//! Counters: the amounts that calls have used, and the amounts that running calls have reserved.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::StoreError;
use crate::time::between;

/// The largest amount of a counter: 2^53 - 1. The stores treat larger amounts and limits as this one.
pub const MAX_AMOUNT: u64 = (1 << 53) - 1;

/// An amount to reserve in a counter: the input of [`StateStore::reserve`](crate::StateStore::reserve).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// The key of the counter.
    pub key: &'a str,
    /// The amount, in the unit of the guard, such as tokens.
    pub amount: u64,
    /// The largest allowed sum of the used and the reserved amounts. At most [`MAX_AMOUNT`].
    pub limit: u64,
    /// The length of the window, which begins with the first used amount. At its end, the used amount is 0 again. `None` means
    /// that the used amounts count forever. An open window keeps its end, even if a later claim has another length.
    pub window: Option<Duration>,
}

/// Reserved amounts: see [`StateStore::reserve`](crate::StateStore::reserve).
///
/// You can save a reservation, and settle it in another process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// The id. It is unique in the store.
    pub id: String,
    /// The reserved amounts, in the order of the claims.
    pub claims: Vec<Reserved>,
    /// The time when the reservation expires, in milliseconds by the clock of the store.
    pub expires_at: u64,
}

/// An amount of a [`Reservation`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserved {
    /// The key of the counter.
    pub key: String,
    /// The amount.
    pub amount: u64,
    /// The window of the counter.
    pub window: Option<Duration>,
}

impl Reservation {
    pub(crate) fn new(id: String, claims: &[Claim<'_>], expires_at: u64) -> Self {
        let claims = claims
            .iter()
            .map(|claim| Reserved { key: claim.key.to_owned(), amount: claim.amount, window: claim.window })
            .collect();
        Self { id, claims, expires_at }
    }

    /// Checks that a settlement has one amount for each claim.
    pub(crate) fn check(&self, used: &[u64]) -> Result<(), StoreError> {
        let (claims, amounts) = (self.claims.len(), used.len());
        if claims == amounts { Ok(()) } else { Err(StoreError::AmountCount { claims, amounts }) }
    }
}

/// A counter has no room for a claim. Nothing was reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverLimit {
    /// The index of the first claim without room.
    pub claim: usize,
    /// The state of its counter.
    pub counter: Counter,
    /// The time until the counter has room for the claim because its window ends or reservations expire. There can be room
    /// earlier if somebody settles a reservation. `None` if the counter never gets enough room in this way.
    pub retry_after: Option<Duration>,
}

/// The state of a counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// The sum of the used amounts.
    pub used: u64,
    /// The sum of the reserved amounts: of reservations that are neither settled nor expired.
    pub reserved: u64,
    /// The time until the window ends and `used` is 0 again. `None` if no window is open.
    pub resets_in: Option<Duration>,
}

/// A counter at a time: the used amounts with the end of their window, and the reserved amounts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Level {
    pub(crate) used: u64,
    pub(crate) resets_at: Option<u64>,
    pub(crate) reserved: u64,
}

impl Level {
    pub(crate) fn counter(self, now: u64) -> Counter {
        let resets_in = self.resets_at.map(|at| between(now, at));
        Counter { used: self.used, reserved: self.reserved, resets_in }
    }

    /// The amount by which a claim exceeds the limit of the counter. `earlier` is the sum of the earlier claims with this key.
    pub(crate) fn excess(self, claim: &Claim<'_>, earlier: u64) -> u64 {
        let needed = [self.used, self.reserved, earlier].into_iter().fold(claim.amount, u64::saturating_add);
        needed.saturating_sub(claim.limit.min(MAX_AMOUNT))
    }

    /// The refusal of a claim that exceeds the limit. `held` has the reserved amounts with the times when they expire, in this
    /// order.
    pub(crate) fn over_limit(
        self,
        claim: usize,
        excess: u64,
        held: impl Iterator<Item = (u64, u64)>,
        now: u64,
    ) -> OverLimit {
        let mut freed: u64 = 0;
        let mut reset = self.resets_at.map(|at| (at, self.used));
        let mut held = held.peekable();
        let free_at = loop {
            let window_first = match (reset, held.peek()) {
                (Some((resets_at, _)), Some((expires_at, _))) => resets_at <= *expires_at,
                (reset, _) => reset.is_some(),
            };
            let next = if window_first { reset.take() } else { held.next() };
            let Some((at, amount)) = next else { break None };
            freed = freed.saturating_add(amount);
            if freed >= excess {
                break Some(at);
            }
        };
        OverLimit { claim, counter: self.counter(now), retry_after: free_at.map(|at| between(now, at)) }
    }

    /// Adds an amount, and opens a window if none is open.
    pub(crate) fn count(&mut self, used: u64, window: Option<u64>) {
        if used > 0 {
            if self.used == 0 {
                self.resets_at = window;
            }
            self.used = self.used.saturating_add(used).min(MAX_AMOUNT);
        }
    }
}
