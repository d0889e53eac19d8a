//! Names in messages: the most similar one, and lists of names.
//!
//! Two names are similar in one of these ways, the most similar first:
//!
//! 1. They differ only in case and in separators: `maxCalls` and `max_calls`.
//! 2. A few letters are wrong, missing, extra or swapped: up to a third of them, and at most three.
//! 3. One begins with the other: `desc` and `description`.
//! 4. They share most of their words: `read_file` and `file_read`.
//!
//! [`nearest`] and [`distance`] are `const fn`s, because the compiler makes some messages in constants.

/// The longest name that is compared, in bytes without separators. A longer one is not a misspelling.
const LONGEST: usize = 64;

/// The most letters that may be wrong.
const MOST_WRONG: usize = 3;

/// The highest similarity of names that only share words.
const MOST_BY_WORDS: usize = 300;

/// Returns the name that is most similar to `name`, if one is similar enough to be meant. Of equally similar names, it returns the
/// first, or none if they only share words with `name`.
///
/// ```
/// use exo_rails_text::names::nearest;
///
/// assert_eq!(nearest("max_deph", &["max_depth", "max_calls"]), Some("max_depth"));
/// assert_eq!(nearest("maxCalls", &["max_depth", "max_calls"]), Some("max_calls"));
/// assert_eq!(nearest("colour", &["max_depth", "max_calls"]), None);
///
/// // In a constant.
/// const MEANT: Option<&str> = nearest("serach", &["search", "delete_file"]);
/// assert_eq!(MEANT, Some("search"));
/// ```
#[must_use]
pub const fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let (mut best, mut most, mut is_tied, mut at) = (None, 0, false, 0);
    while at < known.len() {
        let similarity = similarity(name, known[at]);
        if similarity > most {
            (best, most, is_tied) = (Some(known[at]), similarity, false);
        } else if similarity == most
            && let Some(best) = best
            && !are_equal(best.as_bytes(), known[at].as_bytes())
        {
            is_tied = true;
        }
        at += 1;
    }
    // A word that several names have says nothing about one of them.
    if is_tied && most <= MOST_BY_WORDS { None } else { best }
}

/// Returns how many letters of a name are wrong, missing, extra or swapped, apart from case and separators. Names of more than 64
/// letters have no distance.
///
/// ```
/// use exo_rails_text::names::distance;
///
/// assert_eq!(distance("serach", "Search"), Some(1));
/// ```
#[must_use]
pub const fn distance(name: &str, known: &str) -> Option<usize> {
    match (Letters::of(name), Letters::of(known)) {
        (Some(one), Some(other)) => Some(one.distance(&other)),
        _ => None,
    }
}

/// Returns the names that are similar to `name`, the most similar first, and at most this number of them.
///
/// ```
/// use exo_rails_text::names::similar;
///
/// let tools = ["read_file", "read_files", "write_file", "search"];
/// assert_eq!(similar("raed_file", &tools, 2), ["read_file", "read_files"]);
/// ```
#[must_use]
pub fn similar<'n>(name: &str, known: &[&'n str], most: usize) -> Vec<&'n str> {
    let mut all: Vec<(usize, &str)> = known.iter().map(|known| (similarity(name, known), *known)).collect();
    all.retain(|(similarity, _)| *similarity > 0);
    all.sort_by_key(|(similarity, _)| std::cmp::Reverse(*similarity));
    all.into_iter().take(most).map(|(_, known)| known).collect()
}

/// Returns what a message says about an unknown name: the nearest name, or all of them.
///
/// ```
/// use exo_rails_text::names::advice;
///
/// assert_eq!(advice("alow", &["allow", "deny"]), "did you mean `allow`?");
/// assert_eq!(advice("maybe", &["allow", "deny"]), "write one of `allow`, `deny`");
/// ```
#[must_use]
pub fn advice(name: &str, known: &[&str]) -> String {
    advice_or(name, "write one of", known)
}

/// Returns the same as [`advice`], with other words before the list of all names.
///
/// ```
/// assert_eq!(exo_rails_text::names::advice_or("maybe", "expected", &["allow", "deny"]), "expected `allow`, `deny`");
/// ```
#[must_use]
pub fn advice_or(name: &str, list: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("{list} {}", quoted(known)),
    }
}

/// Returns the names in backticks, with commas.
///
/// ```
/// assert_eq!(exo_rails_text::names::quoted(&["a", "b"]), "`a`, `b`");
/// ```
#[must_use]
pub fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Returns how similar two names are. Names that are not similar have 0.
const fn similarity(name: &str, known: &str) -> usize {
    let (Some(one), Some(other)) = (Letters::of(name), Letters::of(known)) else { return 0 };
    // The name itself is not a misspelling.
    if one.len == 0 || other.len == 0 || are_equal(name.as_bytes(), known.as_bytes()) {
        return 0;
    }
    let distance = one.distance(&other);
    let (shorter, longer) = if one.len < other.len { (one.len, other.len) } else { (other.len, one.len) };
    let third = longer / 3;
    let allowed = if third == 0 {
        1
    } else if third < MOST_WRONG {
        third
    } else {
        MOST_WRONG
    };
    if distance <= allowed && 2 * distance <= longer {
        return 1_000 - 100 * distance;
    }
    if (shorter >= 2 && other.begins_with(&one)) || (shorter >= 4 && one.begins_with(&other)) {
        return 500 + shorter - longer;
    }
    let percent = shared_words(name.as_bytes(), known.as_bytes());
    if percent >= 60 { MOST_BY_WORDS - 100 + percent } else { 0 }
}

/// The letters of a name: without separators, in lower case.
struct Letters {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Letters {
    const fn of(name: &str) -> Option<Self> {
        let (name, mut letters) = (name.as_bytes(), Self { bytes: [0; LONGEST], len: 0 });
        let mut at = 0;
        while at < name.len() {
            if !is_separator(name[at]) {
                if letters.len == LONGEST {
                    return None;
                }
                letters.bytes[letters.len] = name[at].to_ascii_lowercase();
                letters.len += 1;
            }
            at += 1;
        }
        Some(letters)
    }

    const fn begins_with(&self, other: &Self) -> bool {
        let mut at = 0;
        while at < other.len {
            if at >= self.len || self.bytes[at] != other.bytes[at] {
                return false;
            }
            at += 1;
        }
        true
    }

    /// Returns the number of letters to insert, remove, replace or swap with the next one (optimal string alignment). Three rows of
    /// the table are enough.
    const fn distance(&self, other: &Self) -> usize {
        let mut before = [0; LONGEST + 1];
        let mut last = [0; LONGEST + 1];
        let mut j = 0;
        while j <= other.len {
            last[j] = j;
            j += 1;
        }
        let mut i = 1;
        while i <= self.len {
            let mut row = [0; LONGEST + 1];
            row[0] = i;
            j = 1;
            while j <= other.len {
                let is_same = self.bytes[i - 1] == other.bytes[j - 1];
                let mut fewest = last[j - 1] + !is_same as usize;
                if last[j] + 1 < fewest {
                    fewest = last[j] + 1;
                }
                if row[j - 1] + 1 < fewest {
                    fewest = row[j - 1] + 1;
                }
                let is_swapped = i > 1
                    && j > 1
                    && self.bytes[i - 1] == other.bytes[j - 2]
                    && self.bytes[i - 2] == other.bytes[j - 1];
                if is_swapped && before[j - 2] + 1 < fewest {
                    fewest = before[j - 2] + 1;
                }
                row[j] = fewest;
                j += 1;
            }
            (before, last) = (last, row);
            i += 1;
        }
        last[other.len]
    }
}

const fn is_separator(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric()
}

/// Returns the share of words that both names have, in percent of all their words.
const fn shared_words(one: &[u8], other: &[u8]) -> usize {
    let (mut shared, mut words, mut at) = (0_usize, 0, 0);
    while let Some((start, end)) = word(one, at) {
        words += 1;
        let mut next = 0;
        while let Some((first, last)) = word(other, next) {
            if are_same(one, start, end, other, first, last) {
                shared += 1;
                break;
            }
            next = last;
        }
        at = end;
    }
    let mut next = 0;
    while let Some((_, last)) = word(other, next) {
        words += 1;
        next = last;
    }
    match (200 * shared).checked_div(words) {
        Some(percent) => percent,
        None => 0,
    }
}

/// Returns where the next word begins and ends. A word ends at a separator and before a capital after a small letter.
const fn word(name: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut start = from;
    while start < name.len() && is_separator(name[start]) {
        start += 1;
    }
    if start == name.len() {
        return None;
    }
    let mut end = start + 1;
    while end < name.len()
        && !is_separator(name[end])
        && (!name[end].is_ascii_uppercase() || name[end - 1].is_ascii_uppercase())
    {
        end += 1;
    }
    Some((start, end))
}

const fn are_equal(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

const fn are_same(one: &[u8], start: usize, end: usize, other: &[u8], first: usize, last: usize) -> bool {
    if end - start != last - first {
        return false;
    }
    let mut at = 0;
    while at < end - start {
        if !one[start + at].eq_ignore_ascii_case(&other[first + at]) {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_has_the_nearest_name() {
        for (name, known, expected) in [
            ("file_read", &["read_file", "write_file", "read_file"][..], Some("read_file")),
            ("max_deph", &["max_depth", "max_calls"], Some("max_depth")),
            ("serach", &["search", "delete_file"], Some("search")),
            ("delete_fil", &["delete_fill", "delete_file"], Some("delete_fill")),
            ("Retry", &["summarize", "retry"], Some("retry")),
            ("maxCalls", &["max_call", "max_calls"], Some("max_calls")),
            ("pre-tool-call", &["pre_llm_call", "pre_tool_call"], Some("pre_tool_call")),
            ("PreToolCal", &["pre_llm_call", "pre_tool_call"], Some("pre_tool_call")),
            ("o", &["name", "on"], Some("on")),
            ("pri", &["timeout", "priority"], Some("priority")),
            ("desc", &["description", "dense"], Some("description")),
            ("timeout_ms", &["timeout", "most"], Some("timeout")),
            ("file_read", &["read_file", "write_file"], Some("read_file")),
            ("acton", &["files", "actions"], Some("actions")),
            ("größe", &["grösse", "breite"], Some("grösse")),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }

    #[test]
    fn another_name_has_no_nearest_name() {
        for (name, known) in [
            ("drop_table", &["search", "delete_file", "delete_fill"][..]),
            ("a", &["b", "on"]),
            ("colour", &["max_depth", "max_calls"]),
            ("mode", &["name"]),
            ("make_coffee", &["read_file", "make_tea_now"]),
            ("", &["a"]),
            ("search", &[]),
            ("__", &["a", "_"]),
            ("retry", &["retry", "summarize"]),
            ("tokens", &["prompt_tokens", "total_tokens"]),
        ] {
            assert_eq!(nearest(name, known), None, "{name}");
        }
        let long = "a".repeat(LONGEST + 1);
        assert_eq!(nearest(&long, &[&long]), None);
    }

    #[test]
    fn distances_agree_with_strsim() {
        let names = [
            "", "a", "ab", "ba", "abc", "acb", "search", "serach", "delete", "deletes", "tool", "loot", "abab", "baba",
        ];
        for one in names {
            for other in names {
                let distance = Letters::of(one).zip(Letters::of(other)).map(|(one, other)| one.distance(&other));
                assert_eq!(distance, Some(strsim::osa_distance(one, other)), "{one} {other}");
            }
        }
    }
}
