#![cfg_attr(docsrs, feature(doc_cfg))]
//! State stores: a place for records, counters and logs that several tasks, processes or machines share.
//!
//! There are three stores:
//!
//! | store | who shares the state | when the state is lost |
//! |---|---|---|
//! | [`MemoryStore`] | the tasks of one process | when the process ends |
//! | `FileStore`, feature `file` | the processes of one machine | when the file is removed. See `FileStore` for power failures |
//! | `RedisStore`, feature `redis` | processes on several machines | when the Redis server loses it |
//!
//! All of them are a [`StateStore`], and behave in the same way. Its main use is a limit that nothing can pass: a counter
//! [reserves](StateStore::reserve) an amount before a call, and [settles](StateStore::settle) it with the amount that the call
//! has used.
//!
//! [`StateStoreExt`] adds [typed records](StateStoreExt::update), [namespaces](StateStoreExt::namespace) and
//! [time limits](StateStoreExt::within) to every store:
//!
//! ```
//! use std::time::Duration;
//! use exo_rails_store::{Change, Claim, MemoryStore, StateStore, StateStoreExt, StoreError, key};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
//! let store = MemoryStore::new();
//!
//! // A counter: at most three mails for each user and day.
//! let mails = key(["mails", "ada"]);
//! let claim = Claim { key: &mails, amount: 1, limit: 3, window: Some(Duration::from_hours(24)) };
//! match store.reserve(&[claim], Duration::from_mins(1)).await? {
//!     Ok(reservation) => store.settle(&reservation, &[1]).await?,
//!     Err(over_limit) => println!("wait for {:?}", over_limit.retry_after),
//! }
//!
//! // A record: no change is lost, also if others change it at the same time.
//! store.update("visits", |visits: Option<u64>| (Change::Put(visits.unwrap_or(0) + 1, None), ())).await?;
//! assert_eq!(store.read("visits").await?, Some(1));
//! # Ok(())
//! # }
//! ```
//!
//! # Write a store
//!
//! Implement [`StateStore`]. The module `conformance` (feature `conformance`) has the tests that the three stores pass. Run
//! them against your store too.

#[cfg(feature = "conformance")]
#[cfg_attr(docsrs, doc(cfg(feature = "conformance")))]
pub mod conformance;
mod counter;
mod error;
mod ext;
#[cfg(feature = "file")]
mod file;
mod key;
mod log;
mod memory;
mod namespace;
mod record;
#[cfg(feature = "redis")]
mod redis;
mod state_store;
mod time;
mod within;

#[cfg(feature = "redis")]
#[cfg_attr(docsrs, doc(cfg(feature = "redis")))]
pub use self::redis::RedisStore;
pub use counter::{Claim, Counter, MAX_AMOUNT, OverLimit, Reservation, Reserved};
pub use error::StoreError;
pub use ext::{Change, StateStoreExt};
#[cfg(feature = "file")]
#[cfg_attr(docsrs, doc(cfg(feature = "file")))]
pub use file::FileStore;
pub use key::key;
pub use log::LogEntry;
pub use memory::MemoryStore;
pub use record::{Conflict, Expected, Record, Version, Write};
pub use state_store::{StateStore, StoreFuture};
pub use within::TIME_LIMIT;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
