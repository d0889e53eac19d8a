//! The stores under test, behind one interface that can move the time forward.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use exo_rails_guards::store::{MemoryStore, StateStore};
use tokio::runtime::{Builder, Runtime};

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Memory,
    #[cfg(feature = "file-store")]
    File,
    #[cfg(feature = "redis")]
    Redis,
}

/// An empty store.
pub(crate) struct Bench {
    pub(crate) store: Arc<dyn StateStore>,
    place: Place,
    ahead: Duration,
}

enum Place {
    Memory,
    #[cfg(feature = "file-store")]
    File(TempFolder),
    #[cfg(feature = "redis")]
    Redis(String),
}

impl Bench {
    /// Makes an empty store. `None` if there is no server for it.
    pub(crate) fn new(kind: Kind) -> Option<Self> {
        let place = match kind {
            Kind::Memory => Place::Memory,
            #[cfg(feature = "file-store")]
            Kind::File => Place::File(TempFolder::new()),
            #[cfg(feature = "redis")]
            Kind::Redis => {
                crate::redis_server::shared()?;
                Place::Redis(unique_name())
            }
        };
        let store = Arc::new(MemoryStore::new());
        let mut bench = Self { store, place, ahead: Duration::ZERO };
        bench.reopen();
        Some(bench)
    }

    fn reopen(&mut self) {
        match &self.place {
            Place::Memory => {}
            #[cfg(feature = "file-store")]
            Place::File(folder) => self.store = Arc::new(open_file(folder, self.ahead)),
            #[cfg(feature = "redis")]
            Place::Redis(deployment) => {
                let server = crate::redis_server::shared().unwrap();
                self.store = Arc::new(server.open(deployment).clock_ahead(self.ahead));
            }
        }
    }

    /// Moves the time of the store forward.
    pub(crate) async fn advance(&mut self, by: Duration) {
        if matches!(self.place, Place::Memory) {
            tokio::time::advance(by).await;
        }
        self.ahead += by;
        self.reopen();
    }
}

#[cfg(feature = "file-store")]
fn open_file(folder: &TempFolder, ahead: Duration) -> exo_rails_guards::store::FileStore {
    exo_rails_guards::store::FileStore::open(folder.file("state")).unwrap().clock_ahead(ahead)
}

/// The runtime for a kind of store. The time of a store in memory is paused.
pub(crate) fn runtime(kind: Kind) -> Runtime {
    Builder::new_current_thread().enable_all().start_paused(kind == Kind::Memory).build().unwrap()
}

/// A name that no other test uses, also in other processes.
pub(crate) fn unique_name() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("exo-rails-test-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// A folder that is removed at the end.
pub(crate) struct TempFolder(std::path::PathBuf);

impl TempFolder {
    pub(crate) fn new() -> Self {
        let path = std::env::temp_dir().join(unique_name());
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> std::path::PathBuf {
        self.0.join(name)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Makes a test for each kind of store.
macro_rules! for_each_store {
    ($($test:ident),* $(,)?) => {
        mod memory {
            $(#[test] fn $test() { super::$test(crate::bench::Kind::Memory); })*
        }
        #[cfg(feature = "file-store")]
        mod file {
            $(#[test] fn $test() { super::$test(crate::bench::Kind::File); })*
        }
        #[cfg(feature = "redis")]
        mod redis {
            $(#[test] fn $test() { super::$test(crate::bench::Kind::Redis); })*
        }
    };
}
pub(crate) use for_each_store;
