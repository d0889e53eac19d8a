//! Conditions: their syntax, and the names in them. The names of lists for `@map`, too.

use super::fields::Readable;
use super::{Checker, part_of};
use crate::condition::Expression;
use crate::diagnostic::Place;
use crate::model::{Edge, Value};

/// Annotations that name a list.
const MAPS: [&str; 3] = ["map", "foreach", "each"];

const WORDS: [&str; 3] = ["when", "unless", "if"];

impl Checker<'_> {
    pub(super) fn conditions(&mut self) {
        let machine = self.machine;
        let mut readable = Readable::new(machine);
        for edge in machine.edges() {
            self.values_of_conditions(edge);
            if let Some((path, place)) = list_of(edge) {
                self.read(&mut readable, edge.source.node, &path, place);
            }
            let conditions: Vec<_> = edge.conditions().collect();
            if let [_, second, ..] = conditions.as_slice() {
                let help = "join them: `-when: \"ready && !(count > 3)\"->`";
                self.report("several-conditions", second.place, "an edge can have only one condition", help);
            }
            for condition in conditions {
                match Expression::parse(condition.text) {
                    Ok(expression) => {
                        for read in expression.reads() {
                            let place = part_of(condition.place, condition.text, read.span);
                            self.read(&mut readable, edge.source.node, &read.path, place);
                        }
                    }
                    Err(mistake) => {
                        let place = part_of(condition.place, condition.text, mistake.span);
                        let help = mistake.help.unwrap_or_else(|| "write a condition such as `count > 3`".to_owned());
                        self.error("condition", place, mistake.message, help);
                    }
                }
            }
        }
    }

    /// A condition is a text, a name, `true` or `false`.
    fn values_of_conditions(&mut self, edge: &Edge) {
        let is_word = |name: &str| WORDS.iter().any(|word| name.eq_ignore_ascii_case(word));
        let is_condition = |value: &Value| value.as_str().is_some() || matches!(value, Value::Bool(_));
        for part in &edge.label {
            let Some(word) = part.name.as_ref().filter(|name| is_word(name)) else { continue };
            if !is_condition(&part.value) {
                let help = format!("write `{word}: \"count > 3\"`");
                self.error("condition", part.place, "a condition is a text in quotes", help);
            }
        }
    }
}

/// Returns the name of the list for whose items an edge starts paths.
fn list_of(edge: &Edge) -> Option<(Vec<String>, Place)> {
    let map = MAPS.iter().find_map(|name| edge.annotation(name))?;
    let name = map.value().or_else(|| map.parameter("items")).or_else(|| map.parameter("source"))?.as_str()?;
    Some((name.split('.').map(|name| name.trim().to_owned()).collect(), map.place))
}
