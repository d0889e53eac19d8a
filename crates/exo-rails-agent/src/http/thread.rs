//! The thread of the connections of a client.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Runs the connections of a client in a thread of their own. The thread starts at the first request.
///
/// The HTTP client reads interim responses (1xx) in a loop, and has no limit on their number. If a server sends them as fast as it
/// can, a connection holds its thread for seconds before it lets other tasks run. In this thread, it holds only the connections of
/// this client. The time limits are in the runtime of the caller, so they act.
#[derive(Debug, Default)]
pub(crate) struct HttpThread(Mutex<Option<Arc<Running>>>);

/// A running thread. It ends when the last request and its answer have been dropped.
#[derive(Debug)]
pub(crate) struct Running {
    runtime: Handle,
    /// Dropping it ends the thread.
    _end: oneshot::Sender<()>,
}

impl HttpThread {
    /// Returns the thread. Starts it if it does not run.
    pub(crate) fn running(&self) -> io::Result<Arc<Running>> {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = &*running {
            return Ok(Arc::clone(running));
        }
        let started = Arc::new(Running::start()?);
        *running = Some(Arc::clone(&started));
        Ok(started)
    }
}

impl Running {
    fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel::<()>();
        let run = move || drop(runtime.block_on(ended));
        thread::Builder::new().name("exo-rails-http".to_owned()).spawn(run)?;
        Ok(Self { runtime: handle, _end: end })
    }

    /// Waits for a future. The tasks that the future spawns, and the connections that it opens, belong to the thread.
    pub(crate) async fn connect<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|cx| {
            let _entered = self.runtime.enter();
            future.as_mut().poll(cx)
        })
        .await
    }
}
