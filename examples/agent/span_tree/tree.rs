//! A layer that keeps spans and draws them as a tree.

use std::fmt::{self, Debug, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// The field with the name of a span in OpenTelemetry.
const TITLE: &str = "otel.name";

/// The column where the fields of a span begin.
const MARGIN: usize = 36;

/// All spans so far, in the order in which they were opened.
#[derive(Clone, Default)]
pub(crate) struct Tree(Arc<Mutex<Vec<Branch>>>);

struct Branch {
    id: Id,
    /// The index of the parent span.
    parent: Option<usize>,
    fields: Fields,
}

/// The fields of a span, in the order in which they were recorded.
#[derive(Default)]
struct Fields(Vec<(&'static str, String)>);

impl Tree {
    fn branches(&self) -> MutexGuard<'_, Vec<Branch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws all spans. Each span is above its children.
    pub(crate) fn draw(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = draw(&self.branches(), None, 0, &mut text);
        text
    }
}

fn draw(branches: &[Branch], parent: Option<usize>, depth: usize, text: &mut String) -> fmt::Result {
    for (place, branch) in branches.iter().enumerate().filter(|(_, branch)| branch.parent == parent) {
        branch.fields.draw(depth, text)?;
        draw(branches, Some(place), depth + 1, text)?;
    }
    Ok(())
}

impl Fields {
    fn draw(&self, depth: usize, text: &mut String) -> fmt::Result {
        let title = self.0.iter().find(|(name, _)| *name == TITLE).map_or("", |(_, title)| title);
        let line = format!("{}{title}", "  ".repeat(depth));
        write!(text, "{line:MARGIN$}")?;
        // Omits fields that are only for OpenTelemetry, and fields that the title shows.
        let is_new =
            |name: &str, value: &str| !name.starts_with("otel.") && !title.split(' ').any(|word| word == value);
        for (name, value) in self.0.iter().filter(|(name, value)| is_new(name, value)) {
            let name = name.trim_start_matches("gen_ai.").trim_start_matches("exo_rails.");
            write!(text, " {name}={value}")?;
        }
        writeln!(text)
    }
}

/// Returns the index of the newest span with this id. A registry reuses the ids of closed spans.
fn newest(branches: &[Branch], id: &Id) -> Option<usize> {
    branches.iter().rposition(|branch| branch.id == *id)
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Tree {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let parent = context.span(id).and_then(|span| span.parent()).map(|parent| parent.id());
        let mut branches = self.branches();
        let parent = parent.and_then(|parent| newest(&branches, &parent));
        branches.push(Branch { id: id.clone(), parent, fields });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut branches = self.branches();
        if let Some(place) = newest(&branches, id) {
            values.record(&mut branches[place].fields);
        }
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push((field.name(), value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push((field.name(), format!("{value:?}")));
    }
}
