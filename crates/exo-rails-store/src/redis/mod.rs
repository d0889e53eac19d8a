//! The store for several machines.

mod connection;
mod script;

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::counter::MAX_AMOUNT;
use crate::time::millis;
use crate::{
    Claim, Conflict, Counter, Expected, LogEntry, OverLimit, Record, Reservation, StateStore, StoreError, StoreFuture,
    Version, Write, key,
};
use connection::Connection;
use script::{Call, SCRIPTS};

/// A [`StateStore`] in Redis, for services with many replicas. Feature `redis`.
///
/// Each operation is one script, so it is atomic. The store works with Redis 6 and later, and uses the clock of the server.
/// Configure the server so that it does not lose state:
///
/// - Set `maxmemory-policy noeviction`. With another policy, Redis removes counters when its memory is full. With `noeviction`,
///   the operations then fail with [`StoreError::Full`].
/// - Set `appendonly yes`. A server that restarts then loses at most the last second. Without it, the server has the state of
///   its last snapshot.
/// - If a replica replaces a server that failed, the last writes may be missing.
///
/// A handle notices if the server loses all data of the deployment while it is in use, for example by a restart without persistence or by
/// `FLUSHALL`. Then its operations fail with [`StoreError::Lost`], until [`accept_loss`](Self::accept_loss) or a new handle begins
/// again. A reservation of lost data cannot be settled. Settling also fails if the server has lost the reservation with its latest
/// data, and has not used its number again. The store does not notice other losses of the latest data.
///
/// The clocks of the processes have no effect. If the clock of the server is set ahead, all windows end.
///
/// The store connects at its first operation. If the connection breaks, the store connects again and repeats the operation
/// once. It does not repeat [`compare_and_set`](StateStore::compare_and_set) and [`append`](StateStore::append), because they
/// may have happened: these operations fail.
///
/// ```no_run
/// use exo_rails_store::{RedisStore, StateStoreExt, StoreError};
///
/// # async fn example() -> Result<(), StoreError> {
/// let store = RedisStore::open("redis://:password@localhost:6379/0", "shop-production")?;
/// store.write("approval/42", "granted", None).await?;
/// # Ok(())
/// # }
/// ```
///
/// For TLS (`rediss://`), enable a feature of the crate `redis` in your `Cargo.toml`:
/// `redis = { version = "1", features = ["tokio-rustls-comp"] }`.
pub struct RedisStore {
    connection: Connection,
    /// The prefix of all keys. Redis Cluster keeps keys with the same text in braces on one server.
    prefix: String,
    clock_ahead: Duration,
    /// The name of the state that this handle uses.
    epoch: Mutex<Option<Arc<str>>>,
}

/// What the error says about a reservation of a state that is lost.
const LOST_RESERVATION: &str = "Redis does not have the state in which the amounts were reserved";

impl RedisStore {
    /// Makes a store for the server at the URL.
    ///
    /// `deployment` names the group of processes that share state, such as the replicas of one service. Deployments with other
    /// names can use the same server, because their keys differ. The method does not connect.
    ///
    /// # Errors
    /// Returns an error if the URL is not valid, or if it needs a feature of the crate `redis` that is not enabled.
    pub fn open(url: &str, deployment: &str) -> Result<Self, StoreError> {
        let connection = Connection::new(url)?;
        let prefix = format!("{{{}}}:", key([deployment]));
        Ok(Self { connection, prefix, clock_ahead: Duration::ZERO, epoch: Mutex::default() })
    }

    /// Begins again after the server has lost its data. Without this call, the operations of this handle fail with
    /// [`StoreError::Lost`], because the budgets and approvals of all processes are gone. A new handle begins again, too.
    ///
    /// ```no_run
    /// use exo_rails_store::{RedisStore, StateStoreExt, StoreError};
    ///
    /// # async fn example(store: RedisStore) -> Result<(), StoreError> {
    /// if let Err(StoreError::Lost(_)) = store.read::<String>("approval/42").await {
    ///     // A person has decided that all budgets begin again.
    ///     store.accept_loss();
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn accept_loss(&self) {
        *self.epoch.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Sets the time limit for connecting, and for each answer of the server. The default is [`TIME_LIMIT`](crate::TIME_LIMIT).
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.connection.time_limit = limit;
        self
    }

    /// Sets the clock of this handle ahead of the server's clock. Use it in tests of windows and expiry.
    #[must_use]
    pub fn clock_ahead(mut self, by: Duration) -> Self {
        self.clock_ahead = by;
        self
    }

    /// The name of something in Redis. `kind` is such as `record`.
    fn name(&self, kind: &str, key: &str) -> String {
        [&self.prefix, kind, ":", key].concat()
    }

    /// Begins a call of a script. The script fails if the state has another epoch.
    fn call(&self, epoch: &str, script: &'static redis::Script) -> Call {
        Call::new(script).key(self.name("epoch", "")).arg(format!("{} {epoch}", millis(self.clock_ahead)))
    }

    /// Returns the random name of the state. This handle asks the server once, so it notices when the server has lost the state.
    async fn epoch(&self) -> Result<Arc<str>, StoreError> {
        if let Some(epoch) = self.known_epoch() {
            return Ok(epoch);
        }
        // The standard library seeds each `RandomState` with random bytes of the operating system.
        let random = || RandomState::new().hash_one((SystemTime::now(), std::process::id()));
        let offered = format!("{:016x}{:016x}", random(), random());
        let call = Call::new(&SCRIPTS.begin).key(self.name("epoch", "")).arg(offered);
        let found: String = self.connection.repeat(call).await?;
        let mut epoch = self.epoch.lock().unwrap_or_else(PoisonError::into_inner);
        // Another operation may have asked at the same time. The first answer counts.
        Ok(Arc::clone(epoch.get_or_insert_with(|| found.into())))
    }

    fn known_epoch(&self) -> Option<Arc<str>> {
        self.epoch.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn counter_keys(&self, call: Call, key: &str) -> Call {
        call.key(self.name("counter", key)).key(self.name("held", key))
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

/// A record in the answer of a script: the value, the version and the age.
type RecordReply = (Vec<u8>, u64, u64);

fn record((value, version, age): RecordReply) -> Record {
    Record { value, version: Version(version), age: Duration::from_millis(age) }
}

/// A counter in the answer of a script: the used and the reserved amounts, and the time until the used amounts are forgotten.
type CounterReply = (u64, u64, Option<u64>);

fn counter((used, reserved, resets_in): CounterReply) -> Counter {
    Counter { used, reserved, resets_in: resets_in.map(Duration::from_millis) }
}

/// A refused claim in the answer of a script: its index, its counter, and the time until there is room.
type OverLimitReply = (usize, u64, u64, Option<u64>, Option<u64>);

fn over_limit((claim, used, reserved, resets_in, retry_after): OverLimitReply) -> OverLimit {
    let retry_after = retry_after.map(Duration::from_millis);
    OverLimit { claim, counter: counter((used, reserved, resets_in)), retry_after }
}

fn no_reply() -> StoreError {
    StoreError::failed("Redis: a script has given an empty answer")
}

impl StateStore for RedisStore {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Record>> {
        Box::pin(async move {
            let epoch = self.epoch().await?;
            let call = self.call(&epoch, &SCRIPTS.get).key(self.name("record", key));
            Ok(self.connection.repeat::<Option<RecordReply>>(call).await?.map(record))
        })
    }

    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Expected,
        write: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>> {
        Box::pin(async move {
            let epoch = self.epoch().await?;
            let call = self
                .call(&epoch, &SCRIPTS.compare_and_set)
                .key(self.name("record", key))
                .key(self.name("sequence", ""));
            let call = match expected {
                Expected::Any => call.arg("any"),
                Expected::Absent => call.arg("absent"),
                Expected::Version(Version(version)) => call.arg(version),
            };
            let call = match write {
                Write::Put(value, expires_in) => call.arg("put").arg(value).duration(expires_in),
                Write::Remove => call.arg("remove"),
            };
            let (version, found): (Option<u64>, Option<RecordReply>) = self.connection.once(call).await?;
            Ok(version.map(Version).ok_or_else(|| Conflict { found: found.map(record) }))
        })
    }

    fn reserve<'a>(
        &'a self,
        claims: &'a [Claim<'a>],
        hold_for: Duration,
    ) -> StoreFuture<'a, Result<Reservation, OverLimit>> {
        Box::pin(async move {
            let epoch = self.epoch().await?;
            let call = self.call(&epoch, &SCRIPTS.reserve).key(self.name("sequence", "")).key(self.name("open", ""));
            let mut call = call.duration(Some(hold_for));
            for claim in claims {
                call = self.counter_keys(call, claim.key).arg(claim.amount).arg(claim.limit.min(MAX_AMOUNT));
            }
            let reply: (Option<(String, u64)>, Option<OverLimitReply>) = self.connection.repeat(call).await?;
            match reply {
                (Some((number, expires_at)), _) => {
                    Ok(Ok(Reservation::new(format!("{epoch}:{number}"), claims, expires_at)))
                }
                (None, Some(refused)) => Ok(Err(over_limit(refused))),
                (None, None) => Err(no_reply()),
            }
        })
    }

    fn settle<'a>(&'a self, reservation: &'a Reservation, used: &'a [u64]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            reservation.check(used)?;
            let epoch = self.epoch().await?;
            // Another state may have a reservation with the same number.
            let number = reservation.id.split_once(':').filter(|(of, _)| **of == *epoch);
            let (_, number) = number.ok_or_else(|| StoreError::Lost(LOST_RESERVATION.to_owned()))?;
            let call = self.call(&epoch, &SCRIPTS.settle).key(self.name("sequence", "")).key(self.name("open", ""));
            let mut call = call.arg(number).arg(reservation.expires_at);
            for (claim, used) in reservation.claims.iter().zip(used) {
                call = self.counter_keys(call, &claim.key).arg(claim.amount);
                call = call.arg((*used).min(MAX_AMOUNT)).duration(claim.window);
            }
            self.connection.repeat(call).await
        })
    }

    fn counter<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Counter> {
        Box::pin(async move {
            let epoch = self.epoch().await?;
            let call = self.counter_keys(self.call(&epoch, &SCRIPTS.counter), key);
            Ok(counter(self.connection.repeat(call).await?))
        })
    }

    fn forget<'a>(&'a self, counters: &'a [String]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let epoch = self.epoch().await?;
            let call = self.call(&epoch, &SCRIPTS.forget);
            let call = counters.iter().fold(call, |call, key| self.counter_keys(call, key));
            self.connection.repeat(call).await
        })
    }

    fn append<'a>(
        &'a self,
        key: &'a str,
        entry: &'a [u8],
        keep: usize,
        expires_in: Option<Duration>,
    ) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let epoch = self.epoch().await?;
            let call = self.call(&epoch, &SCRIPTS.append).key(self.name("log", key));
            // Redis counts with `i64`.
            let keep = i64::try_from(keep.max(1)).unwrap_or(i64::MAX);
            self.connection.once(call.arg(entry).arg(keep).duration(expires_in)).await
        })
    }

    fn entries<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Vec<LogEntry>> {
        Box::pin(async move {
            let epoch = self.epoch().await?;
            let call = self.call(&epoch, &SCRIPTS.entries).key(self.name("log", key));
            let entries: Vec<(u64, u64, Vec<u8>)> = self.connection.repeat(call).await?;
            let entry = |(number, age, value)| LogEntry { number, age: Duration::from_millis(age), value };
            Ok(entries.into_iter().map(entry).collect())
        })
    }
}
