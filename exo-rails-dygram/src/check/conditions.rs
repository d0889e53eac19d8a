//! Conditions: their syntax, and the names in them.

use super::fields::Readable;
use super::{Checker, part_of};
use crate::condition::Expression;
use crate::model::{Edge, Value};

const WORDS: [&str; 3] = ["when", "unless", "if"];

impl Checker<'_> {
    pub(super) fn conditions(&mut self) {
        let machine = self.machine;
        let mut readable = Readable::new(machine);
        for edge in machine.edges() {
            self.values_of_conditions(edge);
            let conditions: Vec<_> = edge.conditions().collect();
            if let [_, second, ..] = conditions.as_slice() {
                let help = "join them: `-when: \"ready && !(count > 3)\"->`";
                self.report("several-conditions", second.place, "an edge has one condition", help);
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
