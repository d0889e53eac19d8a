//! Collects the warnings of the library.

use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

thread_local! {
    static COLLECTING: RefCell<Option<Warnings>> = const { RefCell::new(None) };
}

/// The warnings of this thread. Each warning is a text of its fields, such as `rail=audit event=error …`.
#[derive(Clone, Debug, Default)]
pub struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    /// Begins to collect. Collecting ends when the returned guard is dropped.
    #[must_use]
    pub fn collect() -> (Self, Collecting) {
        // All threads share one subscriber, and the first thread sets it. While the subscriber of another thread is set
        // or dropped, `tracing` may lose an event of this thread.
        let _ = tracing::subscriber::set_global_default(ByThread);
        let warnings = Self::default();
        let outer = COLLECTING.replace(Some(warnings.clone()));
        (warnings, Collecting { outer })
    }

    /// Returns the warnings so far.
    #[must_use]
    pub fn seen(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Collects the warnings of this thread until it is dropped.
#[derive(Debug)]
pub struct Collecting {
    outer: Option<Warnings>,
}

impl Drop for Collecting {
    fn drop(&mut self) {
        COLLECTING.set(self.outer.take());
    }
}

/// Passes events to the collector of their thread.
struct ByThread;

impl Subscriber for ByThread {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        COLLECTING.with_borrow(|warnings| {
            let Some(Warnings(seen)) = warnings else { return };
            let mut fields = Fields::default();
            event.record(&mut fields);
            seen.lock().unwrap_or_else(PoisonError::into_inner).push(fields.0.join(" "));
        });
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Fields(Vec<String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push(format!("{field}={value:?}"));
    }
}
