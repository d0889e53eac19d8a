//! What the suite needs to know of a store, and how a test runs.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;

use crate::StateStore;

/// An empty store for one test, and its clock. Implement it for the store that you test.
pub trait Fixture: Sized {
    /// Whether the store measures time with the clock of tokio, like [`MemoryStore`](crate::MemoryStore). The suite then
    /// pauses this clock and moves it forward.
    const TOKIO_CLOCK: bool = false;

    /// The number of random sequences of operations. Each sequence has up to 60 operations.
    const SEQUENCES: u32 = 64;

    /// The number of updates by each of 64 tasks that change one record. Increase it for a fast store, so that tasks meet.
    const UPDATES: u64 = 5;

    /// Makes a store without any state. Tests run at the same time, so stores of two fixtures must share nothing.
    ///
    /// If it returns `None`, for example because the machine has no server, the suite skips the test.
    fn new() -> Option<Self>;

    /// Returns the store. The suite calls it again after each [`advance`](Self::advance).
    fn store(&self) -> Arc<dyn StateStore>;

    /// Moves the clock of the store forward. The state stays. With [`TOKIO_CLOCK`](Self::TOKIO_CLOCK), there is nothing to do.
    fn advance(&mut self, by: Duration);
}

/// A fixture with its current store.
#[derive(Debug)]
pub(super) struct Bench<F> {
    pub(super) store: Arc<dyn StateStore>,
    fixture: F,
}

impl<F: Fixture> Bench<F> {
    pub(super) fn new() -> Option<Self> {
        let fixture = F::new()?;
        Some(Self { store: fixture.store(), fixture })
    }

    /// Moves the time of the store forward.
    pub(super) async fn advance(&mut self, by: Duration) {
        if F::TOKIO_CLOCK {
            tokio::time::advance(by).await;
        }
        self.fixture.advance(by);
        self.store = self.fixture.store();
    }
}

/// Runs a test with an empty store.
pub(super) fn test<F: Fixture>(steps: impl AsyncFnOnce(&mut Bench<F>)) {
    let runtime = Builder::new_current_thread().enable_all().start_paused(F::TOKIO_CLOCK).build().unwrap();
    runtime.block_on(async {
        if let Some(mut bench) = Bench::new() {
            steps(&mut bench).await;
        }
    });
}
