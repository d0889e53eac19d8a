//! The stores of this crate pass the conformance suite.

use std::sync::Arc;
use std::time::Duration;

use exo_rails_store::conformance::Fixture;
use exo_rails_store::{MemoryStore, StateStore};

struct Memory(Arc<MemoryStore>);

impl Fixture for Memory {
    const TOKIO_CLOCK: bool = true;
    const SEQUENCES: u32 = 512;
    const UPDATES: u64 = 200;

    fn new() -> Option<Self> {
        Some(Self(Arc::new(MemoryStore::new())))
    }

    fn store(&self) -> Arc<dyn StateStore> {
        self.0.clone()
    }

    fn advance(&mut self, _: Duration) {}
}

mod memory {
    exo_rails_store::conformance_tests!(super::Memory);
}

mod file {
    use exo_rails_store::FileStore;
    use tempfile::TempDir;

    use super::{Arc, Duration, Fixture, StateStore};

    struct File {
        folder: TempDir,
        ahead: Duration,
    }

    impl Fixture for File {
        fn new() -> Option<Self> {
            Some(Self { folder: tempfile::tempdir().unwrap(), ahead: Duration::ZERO })
        }

        fn store(&self) -> Arc<dyn StateStore> {
            Arc::new(FileStore::open(self.folder.path().join("state")).unwrap().clock_ahead(self.ahead))
        }

        fn advance(&mut self, by: Duration) {
            self.ahead += by;
        }
    }

    exo_rails_store::conformance_tests!(File);
}

mod redis {
    use super::{Arc, Duration, Fixture, StateStore};
    use crate::redis_server::{Server, shared, unique_name};

    struct Redis {
        server: &'static Server,
        deployment: String,
        ahead: Duration,
    }

    impl Fixture for Redis {
        fn new() -> Option<Self> {
            Some(Self { server: shared()?, deployment: unique_name(), ahead: Duration::ZERO })
        }

        fn store(&self) -> Arc<dyn StateStore> {
            Arc::new(self.server.open(&self.deployment).clock_ahead(self.ahead))
        }

        fn advance(&mut self, by: Duration) {
            self.ahead += by;
        }
    }

    exo_rails_store::conformance_tests!(Redis);
}
