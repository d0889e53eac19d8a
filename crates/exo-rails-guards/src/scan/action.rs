//! What happens to a secret, depending on where it is.

use exo_rails_policy::{Action, Actions, At, ConfigError, Override};

use crate::arguments::glob;

/// The actions for each rule and each place.
#[derive(Clone, Debug)]
pub(super) struct Table(Vec<[Action; 5]>);

impl Table {
    pub(super) fn new(rules: &[&str], actions: Actions, overrides: &[Override]) -> Result<Self, ConfigError> {
        let mut table = vec![actions.list(); rules.len()];
        for (number, Override { rule, at, action }) in overrides.iter().enumerate() {
            let key = format!("overrides[{number}]");
            let chosen = chosen(rule, rules).map_err(|error| error.in_key("rule").in_key(&key))?;
            let places = if at.is_empty() { &At::ALL[..] } else { at };
            for rule in chosen {
                for place in places {
                    table[rule][*place as usize] = *action;
                }
            }
        }
        Ok(Self(table))
    }

    /// Returns whether a rule refuses something in a place.
    pub(super) fn refuses(&self, at: At) -> bool {
        self.0.iter().any(|actions| actions[at as usize] == Action::Refuse)
    }

    pub(super) fn get(&self, rule: usize, at: At) -> Action {
        self.0[rule][at as usize]
    }
}

/// Returns the indices of the rules that names and globs choose.
pub(crate) fn chosen(patterns: &[String], rules: &[&str]) -> Result<Vec<usize>, ConfigError> {
    let mut chosen = Vec::new();
    for pattern in patterns {
        let matcher = glob(pattern, false, false).map_err(ConfigError::new)?.compile_matcher();
        let before = chosen.len();
        chosen.extend((0..rules.len()).filter(|rule| matcher.is_match(rules[*rule])));
        if chosen.len() == before {
            let message = match exo_rails_text::names::nearest(pattern, rules) {
                Some(nearest) => format!("no rule `{pattern}`: did you mean `{nearest}`?"),
                None => format!("no rule `{pattern}`: the documentation of the guard lists the rules"),
            };
            return Err(ConfigError::new(message));
        }
    }
    Ok(chosen)
}
