//! Annotations: those that contradict each other, and their values.

use super::Checker;
use crate::model::{Annotation, Argument, NodeId, Value};

/// Where an annotation stands.
#[derive(Clone, Copy, PartialEq)]
enum On {
    Machine,
    Node,
    Edge,
}

impl On {
    const fn name(self) -> &'static str {
        match self {
            Self::Machine => "the machine",
            Self::Node => "a node",
            Self::Edge => "an edge",
        }
    }
}

/// Annotations with a meaning, and where they have it. Others are allowed.
const KNOWN: [(&str, On); 29] = [
    ("auto", On::Edge),
    ("async", On::Edge),
    ("spawn", On::Edge),
    ("parallel", On::Edge),
    ("fork", On::Edge),
    ("barrier", On::Edge),
    ("wait", On::Edge),
    ("sync", On::Edge),
    ("join", On::Edge),
    ("merge", On::Edge),
    ("map", On::Edge),
    ("foreach", On::Edge),
    ("each", On::Edge),
    ("priority", On::Edge),
    ("meta", On::Node),
    ("retry", On::Node),
    ("timeout", On::Node),
    ("checkpoint", On::Node),
    ("compensate", On::Node),
    ("lazy", On::Node),
    ("eager", On::Node),
    ("start", On::Node),
    ("end", On::Node),
    ("abstract", On::Node),
    ("style", On::Node),
    ("strict", On::Machine),
    ("strictMode", On::Machine),
    ("concurrent", On::Machine),
    ("errorHandling", On::Machine),
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
        self.annotations_of(&machine.annotations, On::Machine);
        for id in machine.ids() {
            self.annotations_of(&machine.node(id).annotations, On::Node);
            self.compensation(id);
        }
        for edge in machine.edges() {
            self.annotations_of(&edge.annotations, On::Edge);
        }
    }

    fn annotations_of(&mut self, annotations: &[Annotation], on: On) {
        for annotation in annotations {
            self.name_of(annotation);
            self.is_effective(annotation, on);
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
                self.error("contradiction", second.place, format!("`@{name}` is declared twice"), "remove one of them");
            }
        }
    }

    /// A node with `@compensate` is visited if the machine compensates, and after the node that it names.
    fn compensation(&mut self, id: NodeId) {
        let machine = self.machine;
        let Some(annotation) = machine.node(id).annotation("compensate").filter(|_| machine.node(id).is_compensation())
        else {
            return;
        };
        if let Err(name) = machine.compensated(id) {
            let message = format!("`@compensate` names `{name}`, which is not a node of the flow");
            let nodes: Vec<_> =
                machine.ids().filter(|id| machine.kind(*id).is_control()).map(|id| machine.path(id)).collect();
            let help = match self.similar(&name, nodes) {
                Some(similar) => format!("write `@compensate({similar})`"),
                None => "write the node whose work it undoes, or `@compensate` alone".to_owned(),
            };
            self.error("annotation-value", annotation.place, message, help);
        } else if !machine.compensates() {
            let message = "`@compensate` has no effect, because the machine does not compensate";
            self.report(
                "misplaced-annotation",
                annotation.place,
                message,
                "add `@errorHandling(\"compensate\")` to the machine",
            );
        }
    }

    fn name_of(&mut self, annotation: &Annotation) {
        // Short names are like many others.
        let shortest = if self.is_strict { 3 } else { 4 };
        let name = &*annotation.name;
        let mut known = KNOWN.iter().map(|(known, _)| known).chain(&COMMON);
        if name.len() < shortest || known.any(|known| known.eq_ignore_ascii_case(name)) {
            return;
        }
        if let Some(similar) = self.similar(name, KNOWN.map(|(known, _)| known)) {
            let message = format!("`@{name}` has no meaning");
            self.report("unknown-annotation", annotation.place, message, format!("write `@{similar}`"));
        }
    }

    /// Files may have annotations for their readers, so only strict ones are checked.
    fn is_effective(&mut self, annotation: &Annotation, on: On) {
        let Some((name, right)) = KNOWN.iter().find(|(known, _)| annotation.is(known)) else { return };
        if self.is_strict && *right != on {
            let message = format!("`@{name}` has no effect on {}", on.name());
            self.error("misplaced-annotation", annotation.place, message, format!("write it on {}", right.name()));
        }
    }

    fn number_of(&mut self, annotation: &Annotation) {
        let Some((name, least, greatest)) = NUMBERS.iter().find(|(name, ..)| annotation.is(name)) else { return };
        let is_right =
            annotation.number().is_some_and(|number| number >= *least && number <= *greatest && number.fract() == 0.0);
        if annotation.argument != Argument::None && !is_right {
            let message = format!("`@{name}` takes an integer from {least} to {greatest}");
            self.error("annotation-value", annotation.place, message, format!("write `@{name}({})`", least.max(3.0)));
        }
    }

    fn value_of(&mut self, annotation: &Annotation) {
        let is_map = ["map", "foreach", "each"].iter().any(|name| annotation.is(name));
        let source =
            annotation.value().or_else(|| annotation.parameter("items")).or_else(|| annotation.parameter("source"));
        if is_map && source.and_then(Value::as_str).is_none_or(str::is_empty) {
            let message = format!("`@{}` needs the name of a list", annotation.name);
            self.error(
                "annotation-value",
                annotation.place,
                message,
                format!("write `@{}(input.items)`", annotation.name),
            );
        }
        let strategy = annotation.value().and_then(Value::as_str);
        if annotation.is("errorHandling") && strategy.is_none_or(|strategy| !ERROR_HANDLING.contains(&strategy)) {
            let message = "`@errorHandling` takes \"fail-fast\", \"continue\" or \"compensate\"";
            self.error("annotation-value", annotation.place, message, "write `@errorHandling(\"fail-fast\")`");
        }
    }
}
