//! Typed records, namespaces and time limits for every store.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::namespace::Namespace;
use crate::within::Within;
use crate::{Expected, Record, Reservation, StateStore, StoreError, Write};

/// How often [`StateStoreExt::update`] tries to write.
const ATTEMPTS: u32 = 200;

/// Typed records, namespaces and time limits for every [`StateStore`]. The store keeps typed records as JSON.
pub trait StateStoreExt: StateStore {
    /// Returns a store that keeps its state in a namespace of this store: it adds a prefix to each key. No key that
    /// [`key`](crate::key()) makes has this prefix, so state outside the namespace is separate.
    ///
    /// For example, a rule that you only try out can count in a namespace. So it does not use up the budgets of enforced rules.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use exo_rails_store::{MemoryStore, StateStore, StateStoreExt, StoreError};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
    /// let store = Arc::new(MemoryStore::new());
    /// let shadow: Arc<dyn StateStore> = store.clone().namespace("shadow");
    /// shadow.write("plan", &"delete everything", None).await?;
    /// assert_eq!(store.read::<String>("plan").await?, None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    fn namespace(self, name: &str) -> Arc<dyn StateStore>
    where
        Self: Sized + 'static,
    {
        Arc::new(Namespace::new(self, name))
    }

    /// Returns a store whose operations fail with [`StoreError::Timeout`] if they take longer than `limit`. The usual limit
    /// is [`TIME_LIMIT`](crate::TIME_LIMIT).
    ///
    /// The operations need a tokio runtime with the time driver enabled.
    #[must_use]
    fn within(self, limit: Duration) -> Arc<dyn StateStore>
    where
        Self: Sized + 'static,
    {
        Arc::new(Within { store: self, limit })
    }

    /// Reads a typed record. Returns `None` if there is no record, or if it has expired.
    ///
    /// # Errors
    /// Returns an error if the store fails, or if the record is not the JSON of a `T`.
    fn read<T: DeserializeOwned>(&self, key: &str) -> impl Future<Output = Result<Option<T>, StoreError>> + Send {
        async move {
            let record = self.get(key).await?;
            record.map(|record| decode(key, &record)).transpose()
        }
    }

    /// Writes a typed record, and replaces the current one. The record expires after `expires_in`. With `None`, it never
    /// expires.
    ///
    /// # Errors
    /// Returns an error if the store fails or is full, or if the value cannot be written as JSON.
    fn write<T: Serialize + Sync + ?Sized>(
        &self,
        key: &str,
        value: &T,
        expires_in: Option<Duration>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send {
        async move {
            let value = encode(key, value)?;
            let written = self.compare_and_set(key, Expected::Any, Write::Put(&value, expires_in)).await?;
            written.map(drop).map_err(|_| StoreError::failed("a write without a condition had a conflict"))
        }
    }

    /// Removes a record, if there is one.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    fn remove(&self, key: &str) -> impl Future<Output = Result<(), StoreError>> + Send {
        async move { self.compare_and_set(key, Expected::Any, Write::Remove).await.map(drop) }
    }

    /// Changes a typed record without losing changes of other writers. `change` receives the current value, and returns a
    /// [`Change`] and a result. The method returns the result.
    ///
    /// The method reads the record, calls `change`, and writes the new value if nobody has changed the record in between.
    /// Otherwise it calls `change` again with the new record. So it may call `change` several times.
    ///
    /// ```
    /// use exo_rails_store::{Change, MemoryStore, StateStoreExt, StoreError};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
    /// let store = MemoryStore::new();
    /// for expected in [true, false] {
    ///     // Only the first reply counts.
    ///     let counts = store.update("reply", |reply: Option<String>| match reply {
    ///         Some(_) => (Change::Keep, false),
    ///         None => (Change::Put("yes".to_owned(), None), true),
    ///     });
    ///     assert_eq!(counts.await?, expected);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the store fails or is full, if the record is not the JSON of a `T`, or if other writers changed
    /// the record during each of 200 attempts.
    fn update<T, R>(
        &self,
        key: &str,
        mut change: impl FnMut(Option<T>) -> (Change<T>, R) + Send,
    ) -> impl Future<Output = Result<R, StoreError>> + Send
    where
        T: Serialize + DeserializeOwned + Send,
        R: Send,
    {
        self.update_aged(key, move |found| change(found.map(|(value, _)| value)))
    }

    /// Changes a typed record like [`update`](Self::update). `change` also receives the [age](Record::age) of the record.
    ///
    /// # Errors
    /// Returns the errors of [`update`](Self::update).
    fn update_aged<T, R>(
        &self,
        key: &str,
        mut change: impl FnMut(Option<(T, Duration)>) -> (Change<T>, R) + Send,
    ) -> impl Future<Output = Result<R, StoreError>> + Send
    where
        T: Serialize + DeserializeOwned + Send,
        R: Send,
    {
        async move {
            let mut found = self.get(key).await?;
            for attempt in 0..ATTEMPTS {
                let current = found.as_ref().map(|record| Ok((decode(key, record)?, record.age))).transpose()?;
                let (change, result) = change(current);
                let (value, expires_in) = match change {
                    Change::Keep => return Ok(result),
                    Change::Put(value, expires_in) => (Some(encode(key, &value)?), expires_in),
                    Change::Remove => (None, None),
                };
                let write = value.as_deref().map_or(Write::Remove, |value| Write::Put(value, expires_in));
                let expected = found.as_ref().map_or(Expected::Absent, |record| Expected::Version(record.version));
                match self.compare_and_set(key, expected, write).await? {
                    Ok(_) => return Ok(result),
                    Err(conflict) => found = conflict.found,
                }
                pause(attempt).await;
            }
            Err(StoreError::Contended { key: key.to_owned(), attempts: ATTEMPTS })
        }
    }

    /// Ends a reservation whose call did not happen. All reserved amounts are free again.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    fn give_back(&self, reservation: &Reservation) -> impl Future<Output = Result<(), StoreError>> + Send {
        async move { self.settle(reservation, &vec![0; reservation.claims.len()]).await }
    }
}

impl<S: StateStore + ?Sized> StateStoreExt for S {}

/// What [`StateStoreExt::update`] does with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<T> {
    /// Leaves the record as it is.
    Keep,
    /// Writes the record. It expires after this time. With `None`, it never expires.
    Put(T, Option<Duration>),
    /// Removes the record, if there is one.
    Remove,
}

fn decode<T: DeserializeOwned>(key: &str, record: &Record) -> Result<T, StoreError> {
    serde_json::from_slice(&record.value).map_err(|_| invalid::<T>(key))
}

fn encode<T: Serialize + ?Sized>(key: &str, value: &T) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(value).map_err(|_| invalid::<T>(key))
}

fn invalid<T: ?Sized>(key: &str) -> StoreError {
    StoreError::Invalid { key: key.to_owned(), type_name: std::any::type_name::<T>() }
}

/// Waits after a conflict, so that other writers can finish. After many conflicts in a row, it waits longer.
async fn pause(attempt: u32) {
    if attempt < 8 {
        tokio::task::yield_now().await;
    } else {
        tokio::time::sleep(Duration::from_millis(u64::from(attempt.min(20)))).await;
    }
}
