//! Multiplicities of edges.

use super::Checker;

impl Checker<'_> {
    /// A text beside an arrow says how many. Another one was perhaps meant as a label or a title.
    pub(super) fn multiplicities(&mut self) {
        for edge in self.machine.edges() {
            let texts = [&edge.source_multiplicity, &edge.target_multiplicity];
            let Some(text) = texts.into_iter().flatten().find(|text| !is_multiplicity(text)) else { continue };
            let text = crate::syntax::quote(text);
            let message = format!("{text} beside the arrow is not a multiplicity");
            let help = match edge.arrow.label_start() {
                Some(start) => format!(
                    "write `\"1\"` or `\"0..*\"`, or put the text into the arrow: `{start}{text}{}`",
                    edge.arrow
                ),
                None => "write `\"1\"` or `\"0..*\"`".to_owned(),
            };
            self.report("multiplicity", edge.place, message, help);
        }
    }
}

/// Returns whether a text is a number, `*` or a letter, or two of them with `..` between.
fn is_multiplicity(text: &str) -> bool {
    let is_bound = |bound: &str| {
        let is_number = !bound.is_empty() && bound.chars().all(|c| c.is_ascii_digit());
        let is_letter = bound.len() == 1 && bound.chars().all(|c| c.is_ascii_alphabetic());
        is_number || is_letter || bound == "*"
    };
    match text.trim().split_once("..") {
        Some((least, most)) => is_bound(least) && is_bound(most),
        None => is_bound(text.trim()),
    }
}
