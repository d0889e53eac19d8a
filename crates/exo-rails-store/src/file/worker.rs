//! The thread that performs the operations of a [`FileStore`](super::FileStore), because `SQLite` waits for the disk and for
//! other processes.

use std::thread;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::problem::Problem;

/// The most operations in the queue of the thread. Further operations wait until the queue has room.
const WAITING: usize = 1_024;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// How an operation uses the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// It reads.
    Read,
    /// It writes, and does not wait for the disk.
    Write,
    /// It writes, and waits until everything is on the disk.
    WriteToDisk,
}

#[derive(Debug)]
pub(super) struct Worker {
    jobs: mpsc::Sender<Job>,
}

impl Worker {
    /// Starts the thread. It ends when the worker is dropped.
    pub(super) fn start(mut connection: Connection) -> std::io::Result<Self> {
        let (jobs, mut receiver) = mpsc::channel::<Job>(WAITING);
        thread::Builder::new().name("exo-rails-store".to_owned()).spawn(move || {
            while let Some(job) = receiver.blocking_recv() {
                job(&mut connection);
            }
        })?;
        Ok(Self { jobs })
    }

    /// Performs an operation in a transaction. If the caller stops waiting before the operation begins, it does not begin.
    pub(super) async fn perform<T: Send + 'static>(
        &self,
        access: Access,
        operation: impl FnOnce(&Transaction<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let (reply, result) = oneshot::channel();
        let job = move |connection: &mut Connection| {
            if !reply.is_closed() {
                let _ = reply.send(transact(connection, access, operation));
            }
        };
        self.jobs.send(Box::new(job)).await.map_err(|_| Problem::Ended)?;
        result.await.map_err(|_| Problem::Ended)?
    }
}

fn transact<T>(
    connection: &mut Connection,
    access: Access,
    operation: impl FnOnce(&Transaction<'_>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    // A transaction that writes takes the lock at its beginning. Otherwise two processes could read the same amounts before one
    // of them writes.
    let behavior = match access {
        Access::Read => TransactionBehavior::Deferred,
        Access::Write | Access::WriteToDisk => TransactionBehavior::Immediate,
    };
    if access != Access::Read {
        let synchronous = if access == Access::WriteToDisk { "FULL" } else { "NORMAL" };
        connection.pragma_update(None, "synchronous", synchronous)?;
    }
    let transaction = connection.transaction_with_behavior(behavior)?;
    let result = operation(&transaction)?;
    transaction.commit()?;
    Ok(result)
}
