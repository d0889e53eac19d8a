//! Brace expansion: `{rm,-rf,/}` is three words.

use super::word::mark;

/// Writes the words that a word with marked braces becomes. Returns `false` if they are more than `limit`.
pub(super) fn expand(value: &str, limit: usize, words: &mut Vec<String>) -> bool {
    if value.matches(mark::OPEN).count() > limit {
        return false;
    }
    let mut open = vec![value.to_owned()];
    while let Some(word) = open.pop() {
        if words.len() + open.len() > limit {
            return false;
        }
        match first_braces(&word) {
            None => words.push(word),
            Some((start, end, parts)) => {
                let Some(parts) = parts else { return false };
                for part in parts.iter().rev() {
                    open.push(format!("{}{part}{}", &word[..start], &word[end..]));
                }
            }
        }
    }
    true
}

/// Finds the first braces that expand: where they begin and end, and their parts. The parts are `None` if they are too many.
fn first_braces(word: &str) -> Option<(usize, usize, Option<Vec<String>>)> {
    for (start, _) in word.match_indices(mark::OPEN) {
        let inside = start + mark::OPEN.len_utf8();
        let mut depth = 0_usize;
        let mut commas = Vec::new();
        for (at, c) in word[inside..].char_indices() {
            let at = at + inside;
            match c {
                mark::OPEN => depth += 1,
                mark::COMMA if depth == 0 => commas.push(at),
                mark::CLOSE if depth > 0 => depth -= 1,
                mark::CLOSE => {
                    let end = at + mark::CLOSE.len_utf8();
                    if commas.is_empty() {
                        match sequence(&word[inside..at]) {
                            None => break,
                            Some(parts) => return Some((start, end, parts)),
                        }
                    }
                    let mut parts = Vec::new();
                    let mut from = inside;
                    for comma in commas.iter().copied().chain([at]) {
                        parts.push(word[from..comma].to_owned());
                        from = comma + mark::COMMA.len_utf8();
                    }
                    return Some((start, end, Some(parts)));
                }
                _ => {}
            }
        }
    }
    None
}

/// Reads `1..9` and `a..e`. The inner `None` is a sequence that is too long or has a step.
#[allow(clippy::option_option, reason = "text that is not a sequence, and a sequence that is not expanded")]
fn sequence(text: &str) -> Option<Option<Vec<String>>> {
    let (from, to) = text.split_once("..")?;
    if to.contains("..") {
        return Some(None);
    }
    let numbers = || Some((from.parse::<i64>().ok()?, to.parse::<i64>().ok()?));
    if let Some((from_number, to_number)) = numbers() {
        if from_number.abs_diff(to_number) > 64 {
            return Some(None);
        }
        let width = if [from, to].iter().any(|text| text.len() > 1 && text.trim_start_matches('-').starts_with('0')) {
            from.len().max(to.len())
        } else {
            0
        };
        let part = |number: i64| format!("{number:0width$}");
        let parts: Vec<_> = (from_number.min(to_number)..=from_number.max(to_number)).map(part).collect();
        return Some(Some(if from_number > to_number { parts.into_iter().rev().collect() } else { parts }));
    }
    let letter = |text: &str| text.parse::<char>().ok().filter(char::is_ascii_alphabetic);
    let (from, to) = (letter(from)?, letter(to)?);
    let parts: Vec<_> = (from.min(to)..=from.max(to)).map(String::from).collect();
    Some(Some(if from > to { parts.into_iter().rev().collect() } else { parts }))
}
