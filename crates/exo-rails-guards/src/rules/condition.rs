//! Conditions of rules about one argument of a call.

use exo_rails_policy::PointerPattern;
use exo_rails_policy::permissions::{ArgumentCondition, IfMissing};
use exo_rails_text::spelling::{folded, is_plain, readings};
use globset::GlobMatcher;
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use crate::arguments::{Search, each_leaf, fixed_text, glob};
use crate::places::path::Match;

/// A condition that is ready to match.
#[derive(Debug)]
pub(crate) struct Argument {
    place: PointerPattern,
    tests: Tests,
    exists: Option<bool>,
    if_missing: IfMissing,
    /// The length of the fixed text.
    pub(crate) fixed: usize,
}

#[derive(Debug, Default)]
struct Tests {
    one_of: Option<Vec<Value>>,
    glob: Option<(GlobMatcher, GlobMatcher)>,
    regex: Option<(Regex, Regex)>,
    prefix: Option<String>,
    contains: Option<String>,
    min: Option<f64>,
    max: Option<f64>,
}

impl Argument {
    pub(crate) fn new(place: &str, condition: &ArgumentCondition) -> Result<Self, String> {
        let ArgumentCondition { equals, one_of, glob: pattern, regex, prefix, contains, min, max, exists, if_missing } =
            condition;
        let has_test = equals.is_some()
            || !one_of.is_empty()
            || [pattern, regex, prefix, contains].iter().any(|text| text.is_some())
            || min.is_some()
            || max.is_some();
        if !has_test && exists.is_none() {
            return Err(
                "the condition is empty: write what the argument must be, such as `{ exists = true }`".to_owned()
            );
        }
        if has_test && *exists == Some(false) {
            return Err("an argument that does not exist has no value: remove `exists = false`".to_owned());
        }
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            return Err(format!("no number is at least {min} and at most {max}: change `min` or `max`"));
        }
        if [min, max].iter().any(|bound| bound.is_some_and(f64::is_nan)) {
            return Err("`min` and `max` must be numbers".to_owned());
        }
        let values = equals.iter().chain(one_of).cloned().collect::<Vec<_>>();
        let tests = Tests {
            one_of: match (equals, one_of.is_empty()) {
                (None, true) => None,
                (None, false) => Some(values.clone()),
                (Some(value), true) => Some(vec![value.clone()]),
                (Some(_), false) => return Err("write either `equals` or `one_of`".to_owned()),
            },
            glob: match pattern {
                Some(pattern) => Some((
                    glob(pattern, false, false)?.compile_matcher(),
                    glob(pattern, true, false)?.compile_matcher(),
                )),
                None => None,
            },
            regex: match regex {
                Some(regex) => {
                    Some((compiled(&format!("^(?:{regex})$"), regex, false)?, compiled(regex, regex, true)?))
                }
                None => None,
            },
            prefix: prefix.clone(),
            contains: contains.clone(),
            min: *min,
            max: *max,
        };
        let parts = [prefix, contains].into_iter().flatten().map(String::len);
        let fixed = values.iter().map(|value| text_of(value).len()).min().unwrap_or(0)
            + pattern.as_deref().map_or(0, fixed_text)
            + parts.sum::<usize>();
        let if_missing = if_missing.unwrap_or_default();
        let place = place.parse().map_err(|error: exo_rails_policy::ConfigError| error.message)?;
        Ok(Self { place, tests, exists: *exists, if_missing, fixed })
    }

    /// Returns whether the condition certainly holds, for a rule that lets calls run.
    pub(crate) fn allows(&self, arguments: &Value) -> bool {
        let values = self.place.exact(arguments);
        if self.exists == Some(false) {
            return arguments.is_object() && values.is_empty() && !self.exists_somewhere(arguments);
        }
        !values.is_empty() && values.iter().all(|value| !value.is_null() && self.tests.allow(value))
    }

    fn exists_somewhere(&self, arguments: &Value) -> bool {
        let mut found = false;
        self.place.each(arguments, &mut |_, value| found |= !value.is_null());
        found
    }

    /// Returns whether the condition may hold, for a rule that stops calls.
    pub(crate) fn catches(&self, arguments: &Value) -> Match {
        let (mut is_missing, mut found) = (true, Match::No);
        self.place.each(arguments, &mut |_, value| {
            each_leaf(value, &mut |_, leaf| {
                is_missing &= leaf.is_null();
                found = found.max(self.tests.catch(&leaf));
            });
            // The whole list or object, for `equals`.
            if value.is_array() || value.is_object() {
                is_missing = false;
                found = found.max(self.tests.one_of.as_ref().is_some_and(|values| values.contains(value)).into());
            }
        });
        match (self.exists, is_missing) {
            (Some(false), _) => Match::from(is_missing),
            // An argument that is missing does not exist, so nothing is unknown.
            (Some(true), true) => Match::No,
            (_, true) => match self.if_missing {
                IfMissing::Unknown => Match::Maybe,
                IfMissing::Match => Match::Yes,
                IfMissing::NoMatch => Match::No,
            },
            (_, false) if self.tests.is_empty() => Match::Yes,
            (_, false) => found,
        }
    }
}

fn compiled(regex: &str, shown: &str, any_case: bool) -> Result<Regex, String> {
    let built = RegexBuilder::new(regex).case_insensitive(any_case).size_limit(1 << 22).build();
    built.map_err(|error| {
        format!("`{shown}` is not a regular expression: {}", error.to_string().lines().last().unwrap_or_default())
    })
}

impl Tests {
    fn is_empty(&self) -> bool {
        let Self { one_of, glob, regex, prefix, contains, min, max } = self;
        one_of.is_none()
            && glob.is_none()
            && regex.is_none()
            && prefix.is_none()
            && contains.is_none()
            && min.is_none()
            && max.is_none()
    }

    fn has_text_test(&self) -> bool {
        self.glob.is_some() || self.regex.is_some() || self.prefix.is_some() || self.contains.is_some()
    }

    fn allow(&self, value: &Value) -> bool {
        if let Some(values) = &self.one_of
            && !values.iter().any(|known| is_equal(known, value))
        {
            return false;
        }
        if self.has_text_test() && !value.as_str().is_some_and(|text| is_plain_block(text) && self.allows_text(text)) {
            return false;
        }
        (self.min.is_none() && self.max.is_none()) || value.as_f64().is_some_and(|number| self.is_in_range(number))
    }

    fn allows_text(&self, text: &str) -> bool {
        self.glob.as_ref().is_none_or(|(glob, _)| glob.is_match(text))
            && self.regex.as_ref().is_none_or(|(regex, _)| regex.is_match(text))
            && self.prefix.as_ref().is_none_or(|prefix| text.starts_with(prefix))
            && self.contains.as_ref().is_none_or(|part| text.contains(part))
    }

    fn is_in_range(&self, number: f64) -> bool {
        self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max)
    }

    fn catch(&self, leaf: &Value) -> Match {
        if leaf.is_null() {
            return Match::No;
        }
        let text = text_of(leaf);
        let mut texts = vec![text.as_str().into()];
        texts.extend(readings(&text));
        let text_matches = !self.has_text_test() || texts.iter().any(|text| self.catches_text(text));
        let is_listed = self.one_of.as_ref().is_none_or(|values| {
            values.iter().any(|known| {
                let known_text = text_of(known);
                is_equal(known, leaf)
                    || same_number(&known_text, &texts)
                    || folded(&known_text).iter().any(|known| texts.contains(known))
            })
        });
        if !text_matches || !is_listed {
            return Match::No;
        }
        if self.min.is_none() && self.max.is_none() {
            return Match::Yes;
        }
        let number = leaf.as_f64().or_else(|| texts.iter().find_map(|text| number_in(text)));
        number.map_or(Match::Maybe, |number| self.is_in_range(number).into())
    }

    fn catches_text(&self, text: &str) -> bool {
        let any = |wanted: &str, test: &dyn Fn(&str) -> bool| {
            test(wanted) || folded(wanted).iter().any(|wanted| test(wanted))
        };
        self.glob.as_ref().is_none_or(|(_, glob)| glob.is_match(text))
            && self.regex.as_ref().is_none_or(|(_, regex)| regex.is_match(text))
            && self.prefix.as_ref().is_none_or(|prefix| any(prefix, &|prefix| text.starts_with(prefix)))
            && self.contains.as_ref().is_none_or(|part| any(part, &|part| text.contains(part)))
    }
}

/// Returns whether a text is [plain](is_plain), apart from the ends of its lines and tabs.
fn is_plain_block(text: &str) -> bool {
    is_plain(text) || text.split(['\n', '\t']).all(is_plain)
}

/// Returns whether two values are equal. Numbers are equal if they are the same number, such as 5 and 5.0.
fn is_equal(known: &Value, value: &Value) -> bool {
    known == value || matches!((known, value), (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64())
}

fn same_number(known: &str, texts: &[std::borrow::Cow<'_, str>]) -> bool {
    let Some(known) = number_in(known) else { return false };
    texts.iter().any(|text| number_in(text).is_some_and(|number| number.total_cmp(&known).is_eq()))
}

/// Reads a number in the spellings that programs accept: `5`, `5.0`, `5e2`, `1_000`, `1,000`, `0x1f`, `$5`.
fn number_in(text: &str) -> Option<f64> {
    let text: String =
        text.trim().trim_start_matches(['$', '€', '£']).chars().filter(|c| !matches!(c, '_' | ',' | ' ')).collect();
    let digits = text.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
    #[expect(clippy::cast_precision_loss, reason = "a range does not depend on the last digits of such a number")]
    digits.map(|number| number as f64).or_else(|| text.parse().ok()).filter(|number| !number.is_nan())
}

/// Returns a value as text. A text is itself.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
