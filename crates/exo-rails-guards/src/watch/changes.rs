//! What a new configuration file changes, and what it lacks.

use exo_rails_policy::{Severity, from_toml};
use serde_json::{Map, Value};

use crate::finding::Finding;

/// The key of a table that says whether its guard acts.
const MODE: &str = "mode";

/// The differences of two files, as places such as `permissions.rules[3]`.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Changes {
    /// What the guards have now, and what the new file does not have. A file that somebody is still writing lacks its end.
    pub(super) removed: Vec<String>,
    added: Vec<String>,
    changed: Vec<String>,
}

impl Changes {
    /// Compares two files. A guard that is off has nothing to lose, and a guard that a file switches off loses it on purpose.
    pub(super) fn between(old: &str, new: &str) -> Self {
        let mut changes = Self::default();
        // The guards come from a text in TOML. For another language, nobody knows what a text lacks.
        let (Ok(old), Ok(new)) = (from_toml::<Map<String, Value>>(old), from_toml::<Map<String, Value>>(new)) else {
            return changes;
        };
        changes.of_tables("", &old, &new);
        if [&old, &new].into_iter().any(is_off) {
            changes.removed.clear();
        }
        changes
    }

    fn of_tables(&mut self, place: &str, old: &Map<String, Value>, new: &Map<String, Value>) {
        let inside = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
        for (key, value) in old {
            match new.get(key) {
                Some(other) => self.of_values(inside(key), value, other),
                None if key == MODE => self.changed.push(inside(key)),
                None if value.as_object().is_some_and(is_off) => {}
                None => self.removed.push(inside(key)),
            }
        }
        self.added.extend(new.keys().filter(|key| !old.contains_key(*key)).map(|key| inside(key)));
    }

    fn of_values(&mut self, place: String, old: &Value, new: &Value) {
        match (old, new) {
            (old, new) if old == new => {}
            (Value::Object(old), Value::Object(new)) if is_off(old) || is_off(new) => self.changed.push(place),
            (Value::Object(old), Value::Object(new)) => self.of_tables(&place, old, new),
            (Value::Array(old), Value::Array(new)) => self.of_lists(&place, old, new),
            // A table can become a list of tables with the same guard.
            (Value::Object(_), Value::Array(new)) => self.of_lists(&place, std::slice::from_ref(old), new),
            (Value::Array(old), Value::Object(_)) => self.of_lists(&place, old, std::slice::from_ref(new)),
            _ => self.changed.push(place),
        }
    }

    /// The items of a list have no names. So fewer items lack some, and an item lacks keys if everything else in it is the same.
    fn of_lists(&mut self, place: &str, old: &[Value], new: &[Value]) {
        let at = |number: usize| format!("{place}[{number}]");
        let needed = old.iter().filter(|item| !item.as_object().is_some_and(is_off)).count();
        if new.len() < needed {
            self.removed.extend((new.len()..needed).map(at));
        }
        for (number, (old, new)) in old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new) {
            match (old.as_object(), new.as_object()) {
                (Some(old), Some(new))
                    if !is_off(old) && new.iter().all(|(key, value)| old.get(key) == Some(value)) =>
                {
                    self.of_tables(&at(number), old, new);
                }
                _ => self.changed.push(at(number)),
            }
        }
        self.added.extend((old.len()..new.len()).map(at));
    }

    /// Returns the reason why the guards stay as they are.
    pub(super) fn pending(&self) -> String {
        format!(
            "the file lacks {}, which the guards have now. If somebody is writing the file, it is read again. To accept it, confirm \
             it in the program, or start the program again. To switch a guard off, write `mode = \"off\"` into its table",
            names(&self.removed)
        )
    }

    /// Returns the finding about the file.
    pub(super) fn finding(&self, is_pending: bool) -> Finding {
        let all = [("removes", &self.removed), ("changes", &self.changed), ("adds", &self.added)];
        let parts = all.iter().filter(|(_, places)| !places.is_empty());
        let parts: Vec<_> = parts.map(|(what, places)| format!("{what} {}", names(places))).collect();
        let mut message = format!("the new configuration {}", parts.join(", "));
        if parts.is_empty() {
            "the new configuration says the same".clone_into(&mut message);
        }
        let severity = match (is_pending, self.removed.is_empty()) {
            (true, _) => Severity::High,
            (false, false) => Severity::Medium,
            (false, true) => Severity::Low,
        };
        if is_pending {
            message.push_str(". It is not in use, because it may be incomplete");
        }
        Finding::new("watch", if is_pending { "pending" } else { "reloaded" }, severity, message)
    }
}

fn is_off(table: &Map<String, Value>) -> bool {
    table.get(MODE).and_then(Value::as_str) == Some("off")
}

fn names(places: &[String]) -> String {
    places.iter().map(|place| format!("`{place}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_removed_and_what_is_switched_off_is_not() {
        for (old, new, removed) in [
            ("[sizes]\n[risk]", "[sizes]", vec!["risk"]),
            ("[sizes]\nmax_depth = 8", "[sizes]", vec!["sizes.max_depth"]),
            ("[sizes]\nmax_depth = 8", "[sizes]\nmode = 'off'", vec![]),
            ("[sizes]\nmode = 'off'", "[risk]", vec![]),
            ("[sizes]\nmode = 'shadow'", "[sizes]", vec![]),
            ("mode = 'off'\n[sizes]", "[risk]", vec![]),
            ("[sizes]", "mode = 'off'", vec![]),
            (
                "[permissions]\nrules = [{ tool = 'a' }, { tool = 'b' }]",
                "[permissions]\nrules = [{ tool = 'b' }]",
                vec!["permissions.rules[1]"],
            ),
            (
                "[permissions]\nrules = [{ tool = 'a', if = 'x' }]",
                "[permissions]\nrules = [{ tool = 'a' }]",
                vec!["permissions.rules[0].if"],
            ),
            ("[permissions]\nrules = [{ tool = 'a', if = 'x' }]", "[permissions]\nrules = [{ tool = 'b' }]", vec![]),
            ("[[budgets]]\n[[budgets]]\nx = 1", "[[budgets]]", vec!["budgets[1]"]),
            ("[budgets]\nx = 1", "[[budgets]]\nx = 1", vec![]),
            ("[[budgets]]\n[[budgets]]\nx = 1", "[budgets]", vec!["budgets[1]"]),
            ("[sizes]", "[sizes]\n[risk]", vec![]),
            ("[risk]\nthreshold = 5", "[risk]\nthreshold = 6", vec![]),
        ] {
            assert_eq!(Changes::between(old, new).removed, removed, "{old}\n---\n{new}");
        }
    }

    #[test]
    fn a_finding_names_what_a_file_changes() {
        let finding =
            Changes::between("[sizes]\n[risk]\nthreshold = 5", "[risk]\nthreshold = 6\n[loops]").finding(true);
        assert_eq!(
            finding.to_string(),
            "watch/pending: the new configuration removes `sizes`, changes `risk.threshold`, adds `loops`. \
             It is not in use, because it may be incomplete"
        );
    }
}
