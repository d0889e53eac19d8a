//! Prints mistakes with the lines of their files.

use std::fmt::Write;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Diagnostic, Place, Severity, Sources};

/// How much the mistakes of a report may cost. Each shows its whole line, so many in one long line would take very long.
const MAX_COST: usize = 1 << 20;

/// What a mistake costs beside its lines.
const COST: usize = 500;

/// Prints the mistakes, each followed by an empty line.
pub(super) fn all(sources: &Sources, diagnostics: &[Diagnostic], coloured: bool) -> String {
    let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
    let (mut text, mut cost) = (String::new(), 0);
    for (at, found) in diagnostics.iter().enumerate() {
        if cost > MAX_COST {
            let more = diagnostics.len() - at;
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{more} more mistakes and warnings are not shown\n\n");
            break;
        }
        cost += cost_of(sources, found);
        text += &one(sources, found, &renderer);
        text += "\n\n";
    }
    text
}

fn cost_of(sources: &Sources, found: &Diagnostic) -> usize {
    let places = std::iter::once(found.place).chain(found.related.iter().map(|(place, _)| *place));
    places.map(|place| Excerpt::around(sources, place).text.len()).sum::<usize>() + COST
}

fn one(sources: &Sources, found: &Diagnostic, renderer: &Renderer) -> String {
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&*found.message).id(found.code);
    let excerpt = Excerpt::around(sources, found.place);
    let mut group = title.element(excerpt.snippet(sources, found.place, AnnotationKind::Primary, None));
    let related: Vec<_> =
        found.related.iter().map(|(place, what)| (Excerpt::around(sources, *place), *place, what)).collect();
    for (excerpt, place, what) in &related {
        group = group.element(excerpt.snippet(sources, *place, AnnotationKind::Context, Some(what)));
    }
    let mut groups = vec![group];
    if let Some(help) = &found.help {
        groups.push(Group::with_title(Level::HELP.secondary_title(&**help)));
    }
    renderer.render(&groups)
}

/// The lines that a place touches. A renderer that gets only these takes the same time in every file.
struct Excerpt<'a> {
    text: &'a str,
    start: usize,
    line: usize,
}

impl<'a> Excerpt<'a> {
    /// A mistake of many lines is shown with its first one.
    fn around(sources: &'a Sources, place: Place) -> Self {
        let whole = sources.text(place.file);
        let at = floor(whole, place.span.start);
        let start = whole[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = whole[at..].find('\n').map_or(whole.len(), |newline| at + newline);
        let line = sources.locate(place).line;
        Self { text: whole[start..end].trim_end_matches('\r'), start, line }
    }

    fn snippet(
        &self,
        sources: &'a Sources,
        place: Place,
        kind: AnnotationKind,
        label: Option<&'a String>,
    ) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let begin = floor(self.text, place.span.start.saturating_sub(self.start));
        let end = floor(self.text, place.span.end.saturating_sub(self.start)).max(begin);
        let mut annotation = kind.span(begin..end);
        if let Some(label) = label {
            annotation = annotation.label(&**label);
        }
        Snippet::source(self.text).path(sources.name(place.file)).line_start(self.line).annotation(annotation)
    }
}

/// The last boundary of a character that is not after `at`.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}
