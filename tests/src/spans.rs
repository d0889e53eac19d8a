//! Collects the spans of the library.

use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

thread_local! {
    static COLLECTED: RefCell<Option<Collected>> = const { RefCell::new(None) };
}

/// The spans of this thread.
#[derive(Default)]
struct Collected {
    spans: Vec<Seen>,
    /// The spans that are entered. The innermost span is the last.
    entered: Vec<u64>,
}

struct Seen {
    id: u64,
    parent: Option<u64>,
    name: &'static str,
    level: tracing::Level,
    fields: Vec<(&'static str, String)>,
    /// The messages that were logged in the span.
    events: Vec<String>,
}

/// Collects the spans of this thread until it is dropped.
#[derive(Debug)]
pub struct Spans(());

impl Spans {
    /// Begins to collect.
    #[must_use]
    pub fn collect() -> Self {
        // All threads share one subscriber. While the subscriber of another thread is set or dropped, `tracing` may lose
        // a span of this thread.
        let _ = tracing::subscriber::set_global_default(ByThread);
        COLLECTED.set(Some(Collected::default()));
        Self(())
    }

    /// Returns the spans so far as a tree, with one line for each span. A line has the `otel.name` of the span and the
    /// requested fields.
    #[must_use]
    pub fn tree(&self, fields: &[&str]) -> String {
        COLLECTED.with_borrow(|collected| {
            let mut tree = String::new();
            if let Some(collected) = collected {
                collected.draw(&mut tree, None, 0, fields);
            }
            tree
        })
    }

    /// Returns all fields of all spans, with their names and values.
    #[must_use]
    pub fn said(&self) -> Vec<(&'static str, String)> {
        COLLECTED.with_borrow(|collected| {
            let spans = collected.iter().flat_map(|collected| &collected.spans);
            spans.flat_map(|span| span.fields.iter().cloned()).collect()
        })
    }

    /// Returns the name and the level of each span, and the messages that were logged in it.
    #[must_use]
    pub fn logged(&self) -> Vec<(&'static str, tracing::Level, Vec<String>)> {
        COLLECTED.with_borrow(|collected| {
            let spans = collected.iter().flat_map(|collected| &collected.spans);
            spans.map(|span| (span.name, span.level, span.events.clone())).collect()
        })
    }
}

impl Drop for Spans {
    fn drop(&mut self) {
        COLLECTED.set(None);
    }
}

impl Collected {
    fn draw(&self, tree: &mut String, parent: Option<u64>, depth: usize, fields: &[&str]) {
        for span in self.spans.iter().filter(|span| span.parent == parent) {
            let value = |name: &str| span.fields.iter().rfind(|(field, _)| *field == name).map(|(_, value)| value);
            let title = value("otel.name").map_or(span.name, String::as_str);
            let _ = write!(tree, "{}{title}", "  ".repeat(depth));
            for name in fields {
                if let Some(value) = value(name) {
                    let _ = write!(tree, " {}={value}", name.rsplit_once('.').map_or(*name, |(_, last)| last));
                }
            }
            tree.push('\n');
            self.draw(tree, Some(span.id), depth + 1, fields);
        }
    }

    fn span(&mut self, id: &Id) -> Option<&mut Seen> {
        self.spans.iter_mut().find(|span| span.id == id.into_u64())
    }
}

fn with(change: impl FnOnce(&mut Collected)) {
    COLLECTED.with_borrow_mut(|collected| collected.as_mut().map(change));
}

/// Passes spans to the collector of their thread.
struct ByThread;

impl Subscriber for ByThread {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("exo_rails")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        static IDS: AtomicU64 = AtomicU64::new(1);
        let id = IDS.fetch_add(1, Ordering::Relaxed);
        let mut fields = Fields::default();
        span.record(&mut fields);
        let (name, level) = (span.metadata().name(), *span.metadata().level());
        with(|collected| {
            let parent = collected.entered.last().copied();
            collected.spans.push(Seen { id, parent, name, level, fields: fields.0, events: Vec::new() });
        });
        Id::from_u64(id)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        with(|collected| {
            if let Some(span) = collected.span(id) {
                span.fields.extend(fields.0);
            }
        });
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let message = fields.0.into_iter().find(|(name, _)| *name == "message").map(|(_, text)| text);
        with(|collected| {
            let current = collected.entered.last().map(|id| Id::from_u64(*id));
            if let Some(span) = current.and_then(|id| collected.span(&id)) {
                span.events.extend(message);
            }
        });
    }

    fn enter(&self, id: &Id) {
        with(|collected| collected.entered.push(id.into_u64()));
    }

    fn exit(&self, id: &Id) {
        with(|collected| {
            if let Some(at) = collected.entered.iter().rposition(|entered| *entered == id.into_u64()) {
                collected.entered.remove(at);
            }
        });
    }
}

#[derive(Default)]
struct Fields(Vec<(&'static str, String)>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push((field.name(), value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push((field.name(), format!("{value:?}")));
    }
}
