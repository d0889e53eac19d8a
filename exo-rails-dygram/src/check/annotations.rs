//! Annotations: those that contradict each other, and their values.

use super::Checker;
use crate::model::{Annotation, Argument, Value};

/// Annotations with a meaning. Others are allowed.
const KNOWN: [&str; 27] = [
    "auto",
    "async",
    "spawn",
    "parallel",
    "fork",
    "barrier",
    "wait",
    "sync",
    "join",
    "merge",
    "map",
    "foreach",
    "each",
    "meta",
    "strict",
    "strictMode",
    "retry",
    "timeout",
    "concurrent",
    "priority",
    "errorHandling",
    "checkpoint",
    "lazy",
    "eager",
    "start",
    "style",
    "end",
];

/// Common annotations without a meaning that are like others.
const COMMON: [&str; 1] = ["beta"];

/// Annotations of which an element has at most one.
const ONCE: [&str; 7] = ["retry", "timeout", "concurrent", "priority", "errorHandling", "map", "auto"];

/// Pairs that contradict each other.
const CONTRADICTIONS: [(&str, &str); 1] = [("lazy", "eager")];

/// Annotations with a number, and the least and the greatest one.
const NUMBERS: [(&str, f64, f64); 4] =
    [("retry", 0.0, 10.0), ("timeout", 1.0, 300_000.0), ("concurrent", 1.0, 100.0), ("priority", -1e9, 1e9)];

const ERROR_HANDLING: [&str; 3] = ["fail-fast", "continue", "compensate"];

impl Checker<'_> {
    pub(super) fn annotations(&mut self) {
        let machine = self.machine;
        self.annotations_of(&machine.annotations);
        for node in machine.nodes() {
            self.annotations_of(&node.annotations);
        }
        for edge in machine.edges() {
            self.annotations_of(&edge.annotations);
        }
    }

    fn annotations_of(&mut self, annotations: &[Annotation]) {
        for annotation in annotations {
            self.name_of(annotation);
            self.number_of(annotation);
            self.value_of(annotation);
        }
        for (one, other) in CONTRADICTIONS {
            let find = |name: &str| annotations.iter().find(|annotation| annotation.is(name));
            if let (Some(_), Some(second)) = (find(one), find(other)) {
                let message = format!("`@{one}` and `@{other}` contradict each other");
                self.error("contradiction", second.place, message, "remove one of them");
            }
        }
        for name in ONCE {
            if let Some(second) = annotations.iter().filter(|annotation| annotation.is(name)).nth(1) {
                self.error("contradiction", second.place, format!("`@{name}` is there twice"), "remove one of them");
            }
        }
    }

    fn name_of(&mut self, annotation: &Annotation) {
        // Short names are like many others.
        const SHORTEST: usize = 4;
        let name = &*annotation.name;
        if name.len() < SHORTEST || KNOWN.iter().chain(&COMMON).any(|known| known.eq_ignore_ascii_case(name)) {
            return;
        }
        if let Some(similar) = self.similar(name, KNOWN) {
            let message = format!("`@{name}` has no meaning");
            self.report("unknown-annotation", annotation.place, message, format!("write `@{similar}`"));
        }
    }

    fn number_of(&mut self, annotation: &Annotation) {
        let Some((name, least, greatest)) = NUMBERS.iter().find(|(name, ..)| annotation.is(name)) else { return };
        let is_right =
            annotation.number().is_some_and(|number| number >= *least && number <= *greatest && number.fract() == 0.0);
        if annotation.argument != Argument::None && !is_right {
            let message = format!("`@{name}` has an integer from {least} to {greatest}");
            self.error("annotation-value", annotation.place, message, format!("write `@{name}({})`", least.max(3.0)));
        }
    }

    fn value_of(&mut self, annotation: &Annotation) {
        let is_map = ["map", "foreach", "each"].iter().any(|name| annotation.is(name));
        let source =
            annotation.value().or_else(|| annotation.parameter("items")).or_else(|| annotation.parameter("source"));
        if is_map && source.and_then(Value::as_str).is_none_or(str::is_empty) {
            let message = format!("`@{}` names the list whose items it takes", annotation.name);
            self.error(
                "annotation-value",
                annotation.place,
                message,
                format!("write `@{}(input.items)`", annotation.name),
            );
        }
        let strategy = annotation.value().and_then(Value::as_str);
        if annotation.is("errorHandling") && strategy.is_none_or(|strategy| !ERROR_HANDLING.contains(&strategy)) {
            let message = "`@errorHandling` has one of \"fail-fast\", \"continue\" and \"compensate\"";
            self.error("annotation-value", annotation.place, message, "write `@errorHandling(\"fail-fast\")`");
        }
    }
}
