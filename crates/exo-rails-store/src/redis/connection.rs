//! The connection to Redis.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, ErrorKind, FromRedisValue, RedisError, RedisResult};
use tokio::sync::Mutex;

use super::script::Call;
use crate::{StoreError, TIME_LIMIT};

/// A connection that all operations share. It is opened at the first operation, and again after it has broken.
pub(super) struct Connection {
    client: Client,
    pub(super) time_limit: Duration,
    current: Mutex<Current>,
}

#[derive(Default)]
struct Current {
    connection: Option<MultiplexedConnection>,
    /// The number of earlier connections.
    number: u64,
}

impl Connection {
    pub(super) fn new(url: &str) -> Result<Self, StoreError> {
        // The error does not have the URL, because the URL can have a password.
        let client = Client::open(url).map_err(|error| {
            StoreError::failed(format!(
                "the URL of Redis is not valid ({}): write it as redis://:PASSWORD@HOST:PORT/DATABASE",
                error.category()
            ))
        })?;
        Ok(Self { client, time_limit: TIME_LIMIT, current: Mutex::default() })
    }

    /// Runs a script that may run twice. If the connection breaks, the second attempt uses a new one.
    pub(super) async fn repeat<T: FromRedisValue>(&self, call: Call) -> Result<T, StoreError> {
        match self.run(&call).await {
            Err(error) if is_broken(&error) && !error.is_timeout() => self.run(&call).await,
            result => result,
        }
        .map_err(|error| self.error(&error))
    }

    /// Runs a script that must not run twice.
    pub(super) async fn once<T: FromRedisValue>(&self, call: Call) -> Result<T, StoreError> {
        self.run(&call).await.map_err(|error| self.error(&error))
    }

    async fn run<T: FromRedisValue>(&self, call: &Call) -> RedisResult<T> {
        let (mut connection, number) = self.connect().await?;
        let result = call.run(&mut connection).await;
        if result.as_ref().is_err_and(is_broken) {
            let mut current = self.current.lock().await;
            // Another operation may have replaced the connection already.
            if current.number == number {
                *current = Current { connection: None, number: number + 1 };
            }
        }
        result
    }

    async fn connect(&self) -> RedisResult<(MultiplexedConnection, u64)> {
        let mut current = self.current.lock().await;
        if let Some(connection) = &current.connection {
            return Ok((connection.clone(), current.number));
        }
        let limit = Some(self.time_limit);
        let config = AsyncConnectionConfig::new().set_connection_timeout(limit).set_response_timeout(limit);
        let connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        current.connection = Some(connection.clone());
        Ok((connection, current.number))
    }

    /// The texts of the crate `redis` do not have the password.
    fn error(&self, error: &RedisError) -> StoreError {
        if error.is_timeout() {
            return StoreError::Timeout { limit: self.time_limit };
        }
        if error.code() == Some("LOST") {
            let what = error.detail().unwrap_or("data");
            StoreError::Lost(format!(
                "Redis has lost {what}, for example by a restart without persistence or by `FLUSHALL`, so budgets and approvals are \
                 in doubt: call `RedisStore::accept_loss`, or start this process again, to begin again"
            ))
        } else if error.code() == Some("OOM") {
            StoreError::Full("Redis has reached its `maxmemory`".to_owned())
        } else if error.code() == Some("NOAUTH") || error.kind() == ErrorKind::AuthenticationFailed {
            StoreError::failed(format!("Redis refused the user or the password of the URL: {error}"))
        } else {
            StoreError::failed(format!("Redis: {error}"))
        }
    }
}

/// Whether the connection cannot be used any more. After a time-out, the server may be gone without a trace.
fn is_broken(error: &RedisError) -> bool {
    error.is_io_error() || error.is_unrecoverable_error()
}
