//! Words that prove nothing: common words, numbers that are too short, dates and times.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use exo_rails_text::look::merged;

use super::hash::Identity;

static COMMON: LazyLock<HashSet<u64, BuildHasherDefault<Identity>>> = LazyLock::new(|| {
    let lines = include_str!("common_words.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).map(|word| hash(word.chars().map(merged))).collect()
});

/// Returns whether a folded word is in the list of common words. The list also has the hosts of large mail services.
pub(super) fn is_common(word: &[char]) -> bool {
    COMMON.contains(&hash(word.iter().copied()))
}

/// FNV-1a over characters. The list has no secrets, so its hash needs no key.
fn hash(characters: impl Iterator<Item = char>) -> u64 {
    characters.fold(0xcbf2_9ce4_8422_2325, |hash, c| (hash ^ u64::from(c)).wrapping_mul(0x0100_0000_01b3))
}

/// The letters in times and in numbers of weeks and quarters.
const TIMES: [&str; 9] = ["t", "z", "a", "p", "am", "pm", "h", "w", "q"];

/// Other letters in dates and times.
const MONTHS: [&str; 18] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "st", "nd", "rd", "th", "utc",
    "gmt",
];

/// Returns whether a folded word can be a part of a date, a time or a number: digits, and letters such as `t`, `z` and `am`.
pub(super) fn is_numeric(word: &[char]) -> bool {
    let is_known = |letters: &[char]| TIMES.iter().any(|known| known.chars().eq(letters.iter().copied()));
    word.iter().any(char::is_ascii_digit)
        && word.iter().filter(|c| !c.is_ascii_digit()).count() <= 2
        && word.split(char::is_ascii_digit).all(|letters| letters.is_empty() || is_known(letters))
}

/// Returns whether a text has no letters but those of dates and times. `AB2024` is not a year.
pub(super) fn has_letters_of_date(text: &str) -> bool {
    let is_known = |letters: &str| TIMES.iter().chain(&MONTHS).any(|known| known.eq_ignore_ascii_case(letters));
    text.split(|c: char| !c.is_alphabetic()).all(|letters| letters.is_empty() || is_known(letters))
}

/// Returns whether a text of digits and separators is a date, a time, or both.
pub(super) fn is_date(text: &str) -> bool {
    let has_time = text.contains(':');
    // The fraction of a second can have any number of digits.
    let (front, back) = match (text.rfind(':'), text.rfind('.')) {
        (Some(colon), Some(dot)) => {
            let rest = text[dot + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
            if dot > colon || rest.starts_with(['+', '-']) { (&text[..dot], rest) } else { (text, "") }
        }
        _ => (text, ""),
    };
    let digits = |text| str::split(text, |c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty());
    let groups: Vec<&str> = digits(front).chain(digits(back)).collect();
    let is_year = |group: &str| group.len() == 4 && (group.starts_with("19") || group.starts_with("20"));
    let is_part = |group: &&str| is_year(group) || group.parse::<u8>().is_ok_and(|part| group.len() <= 2 && part < 60);
    if groups.is_empty() || groups.len() > 8 || !groups.iter().all(is_part) {
        return false;
    }
    let years = groups.iter().filter(|group| is_year(group)).count();
    let separators = text.trim_matches(|c: char| !c.is_ascii_digit());
    let only = |separator: char| separators.chars().all(|c| c.is_ascii_digit() || c == separator);
    let is_short_date = || (groups.len() == 3 || groups.len() == 2) && (only('-') || only('/'));
    has_time || (years == 1 && groups.len() <= 3) || is_short_date() || (groups.len() == 3 && only('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_recognised_and_other_numbers_are_not() {
        for date in [
            "2024-05-20",
            "20.05.2024",
            "05/20/2024",
            "10:30",
            "2024-05-20T10:00:00Z",
            "2024-05-20T10:00:00.000+02:00",
            "12-34",
        ] {
            assert!(is_date(date), "{date}");
        }
        for number in ["10.0.0.7", "06 12 34 56 78", "0171 234 5678", "4711", "3704 0044 0532", "555-1234", "20240520"]
        {
            assert!(!is_date(number), "{number}");
        }
    }

    #[test]
    fn words_with_letters_of_dates_are_recognised_and_ids_are_not() {
        for date in ["2024-05-20T10:00:00Z", "20-May-2024", "10:30PM", "2024-W21", "20240520"] {
            assert!(has_letters_of_date(date), "{date}");
        }
        for id in ["AB2024", "AA2000A0", "PO-2024", "2024_mai"] {
            assert!(!has_letters_of_date(id), "{id}");
        }
        let numeric = |word: &str| is_numeric(&word.chars().collect::<Vec<_>>());
        assert!(["2024", "20t10", "00z", "10am", "3q"].into_iter().all(numeric));
        assert!(!["aa2000", "mp3", "tz10", "am", "10t00z1a"].into_iter().any(numeric));
    }

    #[test]
    fn the_list_of_common_words_is_folded() {
        let list = include_str!("common_words.txt").lines().filter(|line| !line.starts_with('#'));
        for word in list.flat_map(str::split_whitespace) {
            assert!(word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()), "{word}");
        }
        assert!(is_common(&['t', 'h', 'e']) && !is_common(&['x', 'y', 'z']));
    }
}
