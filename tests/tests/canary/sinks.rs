//! Where somebody could read a secret.

use std::cell::RefCell;
use std::error::Error;
use std::fmt::{Debug, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use exo_rails::RunError;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::plan::Secrets;

/// All sinks, sorted.
pub(crate) const SINKS: [&str; 9] =
    ["bus", "error", "events", "log", "memory", "messages of a failed run", "output", "saved run", "session"];

/// All that was there to read, and where.
#[derive(Debug, Default)]
pub(crate) struct Sinks(Mutex<Vec<(&'static str, String)>>);

impl Sinks {
    pub(crate) fn add(&self, sink: &'static str, text: impl Into<String>) {
        assert!(SINKS.contains(&sink), "{sink}");
        self.0.lock().unwrap().push((sink, text.into()));
    }

    /// An error with all that is under it.
    pub(crate) fn add_error(&self, error: &RunError) {
        self.add("error", format!("{error}\n{error:?}\n{error:#?}"));
        let mut source: Option<&dyn Error> = error.source();
        while let Some(error) = source {
            self.add("error", format!("{error}\n{error:?}"));
            source = error.source();
        }
    }

    /// The first text with a secret: its sink, and what it has.
    pub(crate) fn leak(&self, secrets: &Secrets) -> Option<(&'static str, String)> {
        let texts = self.0.lock().unwrap();
        texts.iter().find_map(|(sink, text)| {
            secrets.leaked(text).map(|name| (*sink, format!("the secret of `{name}` is in `{text}`")))
        })
    }

    /// All sinks with a secret.
    pub(crate) fn leaking(&self, secrets: &Secrets) -> Vec<&'static str> {
        let texts = self.0.lock().unwrap();
        texts.iter().filter(|(_, text)| secrets.leaked(text).is_some()).map(|(sink, _)| *sink).collect()
    }

    /// All secrets that are in sinks.
    pub(crate) fn leaked(&self, secrets: &Secrets) -> Vec<&'static str> {
        let texts = self.0.lock().unwrap();
        let is_in = |name: &&&'static str| texts.iter().any(|(_, text)| text.contains(secrets.of(name)));
        crate::plan::NAMES.iter().filter(is_in).copied().collect()
    }
}

thread_local! {
    /// All that spans and logs of this thread say, of every target and level.
    pub(crate) static LOG: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Takes all spans and events of the process.
pub(crate) fn collect_logs() {
    let _ = tracing::subscriber::set_global_default(Everything);
}

struct Everything;

impl Subscriber for Everything {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        static IDS: AtomicU64 = AtomicU64::new(1);
        span.record(&mut Written);
        Id::from_u64(IDS.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Written);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Written);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Written;

impl Visit for Written {
    fn record_str(&mut self, field: &Field, value: &str) {
        LOG.with_borrow_mut(|log| {
            let _ = writeln!(log, "{}={value}", field.name());
        });
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        LOG.with_borrow_mut(|log| {
            let _ = writeln!(log, "{}={value:?}", field.name());
        });
    }
}
