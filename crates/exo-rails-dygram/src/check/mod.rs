//! Finds mistakes in a machine, other than mistakes in its syntax and its names.
//!
//! In a strict file, most of these mistakes are errors. In other files, they are warnings. Mistakes that can mean nothing else
//! are always errors: contradictions, conditions that are not CEL, wrong values of annotations, and fields that several
//! contexts have.

mod access;
mod annotations;
mod conditions;
mod fields;
mod flow;
mod kinds;
mod multiplicities;
mod templates;
mod types;

use exo_rails_text::names::nearest;

use crate::diagnostic::{Diagnostic, Place, Severity, Span};
use crate::model::Machine;

/// Returns the mistakes in a machine. [`read`](crate::read) makes the same checks.
///
/// ```
/// use exo_rails_dygram::{check, Edge, Machine, Node};
///
/// let mut machine = Machine::new();
/// let plan = machine.add_node(None, Node::named("plan"))?;
/// let done = machine.add_node(None, Node::named("done"))?;
/// machine.add_node(None, Node::named("forgotten"))?;
/// machine.add_edge(Edge::new(plan, done))?;
/// let found = check(&machine, true);
/// assert_eq!(found[0].message, "the machine never reaches `forgotten`");
/// # Ok::<(), exo_rails_dygram::AddError>(())
/// ```
#[must_use]
pub fn check(machine: &Machine, is_strict: bool) -> Vec<Diagnostic> {
    let mut checker = Checker { machine, is_strict, diagnostics: Vec::new(), searches: 0 };
    checker.flow();
    checker.all_but_flow();
    checker.diagnostics
}

/// Returns the mistakes of a machine, except those of its flow. After a wrong name in an edge, the flow has mistakes that the
/// file does not have.
pub(crate) fn check_all_but_flow(machine: &Machine, is_strict: bool) -> Vec<Diagnostic> {
    let mut checker = Checker { machine, is_strict, diagnostics: Vec::new(), searches: 0 };
    checker.all_but_flow();
    checker.diagnostics
}

struct Checker<'a> {
    machine: &'a Machine,
    is_strict: bool,
    diagnostics: Vec<Diagnostic>,
    /// How often a similar name was searched.
    searches: usize,
}

/// How many similar names are searched. Each search compares all names.
const MAX_SEARCHES: usize = 20;

impl Checker<'_> {
    fn all_but_flow(&mut self) {
        self.conditions();
        self.access();
        self.annotations();
        self.kinds();
        self.multiplicities();
        self.templates();
        self.types();
    }

    /// Returns a similar name, for the first mistakes of a machine.
    fn similar<'n>(&mut self, wrong: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
        self.searches += 1;
        (self.searches <= MAX_SEARCHES).then(|| nearest(wrong, &names.into_iter().collect::<Vec<_>>())).flatten()
    }

    /// Reports what is an error in a strict file, and a warning in another one.
    fn report(&mut self, code: &'static str, place: Place, message: impl Into<String>, help: impl Into<String>) {
        let severity = if self.is_strict { Severity::Error } else { Severity::Warning };
        self.diagnostics.push(Diagnostic::new(severity, code, place, message).with_help(help));
    }

    fn error(&mut self, code: &'static str, place: Place, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, place, message).with_help(help));
    }

    fn warn(&mut self, code: &'static str, place: Place, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(code, place, message).with_help(help));
    }
}

/// Returns the place of a part of a text in quotes. If the text has escapes, this is the place of the whole text.
fn part_of(place: Place, text: &str, part: Span) -> Place {
    let length = place.span.end.saturating_sub(place.span.start);
    if length != text.len() + 2 {
        return place;
    }
    let start = place.span.start + 1;
    Place::new(place.file, Span::new(start + part.start, start + part.end))
}
