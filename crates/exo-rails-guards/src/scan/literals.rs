//! The texts with which the matches of a regex begin.
//!
//! Most tokens begin with a fixed text, such as `ghp_`. Then a search for these texts finds every place where a match may
//! begin, for all rules at once.

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use super::prefixes::is_word_byte;

/// The greatest number of beginnings of one regex.
const MOST: usize = 256;

/// A longer beginning is cut.
const LONGEST: usize = 12;

/// The shortest beginning that is worth a search.
const SHORTEST: usize = 2;

/// The beginnings of the matches of a regex, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Beginnings {
    pub(super) texts: Vec<String>,
    /// Whether a match only begins after a character that is not part of a word.
    pub(super) after_word: bool,
}

impl Beginnings {
    /// Returns the beginnings, or `None` if a match may begin with too many different texts.
    pub(super) fn of(hir: &Hir) -> Option<Self> {
        let all = of(hir);
        let texts = all.into_iter().map(|beginning| String::from_utf8(beginning.bytes).ok());
        let mut texts = texts.collect::<Option<Vec<_>>>()?;
        texts.sort();
        texts.dedup();
        let usable = |text: &String| text.len() >= SHORTEST;
        let starts_words = texts.iter().all(|text| text.bytes().next().is_some_and(is_word_byte));
        texts.iter().all(usable).then(|| Self { after_word: begins_at_word(hir) && starts_words, texts })
    }
}

/// Returns whether the matches of a regex begin at the border of a word.
pub(super) fn begins_at_word(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Look(Look::WordAscii | Look::WordStartAscii) => true,
        HirKind::Capture(capture) => begins_at_word(&capture.sub),
        HirKind::Concat(parts) => parts.first().is_some_and(begins_at_word),
        _ => false,
    }
}

/// Returns fewer and shorter texts, of which one begins each of these. A rule whose regex has a class at the beginning has hundreds.
pub(super) fn shortened(texts: &[String]) -> Vec<String> {
    const MANY: usize = 40;
    const SHORT: usize = 3;
    let mut texts = texts.to_vec();
    while texts.len() > MANY
        && let Some(longest) = texts.iter().map(String::len).max().filter(|longest| *longest > SHORT)
    {
        for text in &mut texts {
            text.truncate(text.floor_char_boundary(longest - 1));
        }
        texts.sort_unstable();
        texts.dedup();
    }
    texts
}

#[derive(Clone, Debug)]
struct Beginning {
    bytes: Vec<u8>,
    /// Whether the bytes are the whole match of the part so far, so the next part continues them.
    is_whole: bool,
}

impl Beginning {
    fn new(bytes: Vec<u8>, is_whole: bool) -> Self {
        Self { bytes, is_whole }
    }
}

fn nothing(is_whole: bool) -> Vec<Beginning> {
    vec![Beginning::new(Vec::new(), is_whole)]
}

fn of(hir: &Hir) -> Vec<Beginning> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => nothing(true),
        HirKind::Literal(literal) => vec![Beginning::new(literal.0.to_ascii_lowercase(), true)],
        HirKind::Class(class) => of_class(class).unwrap_or_else(|| nothing(false)),
        HirKind::Repetition(repetition) => of_repetition(repetition),
        HirKind::Capture(capture) => of(&capture.sub),
        HirKind::Concat(parts) => parts.iter().fold(nothing(true), |begun, part| followed_by(begun, &of(part))),
        HirKind::Alternation(parts) => {
            let all: Vec<_> = parts.iter().flat_map(of).collect();
            if all.len() > MOST { nothing(false) } else { all }
        }
    }
}

/// Returns the letters of a small class, such as the two cases of one letter.
fn of_class(class: &Class) -> Option<Vec<Beginning>> {
    const FEW: usize = 24;
    let mut letters: Vec<u8> = Vec::new();
    let Class::Unicode(class) = class else { return None };
    for range in class.ranges() {
        // With `(?i)`, the classes of `k` and `s` also have a letter that is not ASCII. The rules do not match it.
        if !range.start().is_ascii() && class.ranges().len() > 1 && matches!(range.start(), '\u{17f}' | '\u{212a}') {
            continue;
        }
        if !range.end().is_ascii() || range.len() > FEW {
            return None;
        }
        letters.extend((range.start()..=range.end()).filter_map(|letter| u8::try_from(letter).ok()));
    }
    letters.make_ascii_lowercase();
    letters.sort_unstable();
    letters.dedup();
    (letters.len() <= FEW).then(|| letters.into_iter().map(|letter| Beginning::new(vec![letter], true)).collect())
}

fn of_repetition(Repetition { min, max, sub, .. }: &Repetition) -> Vec<Beginning> {
    let once = of(sub);
    match (*min, *max) {
        (0, Some(1)) => once.into_iter().chain(nothing(true)).collect(),
        (0, _) => nothing(false),
        (min, max) => {
            let times = usize::try_from(min).unwrap_or(usize::MAX).min(LONGEST);
            let mut begun = (0..times).fold(nothing(true), |begun, _| followed_by(begun, &once));
            if max != Some(min) {
                for beginning in &mut begun {
                    beginning.is_whole = false;
                }
            }
            begun
        }
    }
}

fn followed_by(begun: Vec<Beginning>, next: &[Beginning]) -> Vec<Beginning> {
    let whole = begun.iter().filter(|beginning| beginning.is_whole).count();
    let too_many = begun.len() + whole * next.len() > MOST;
    let mut all = Vec::new();
    for beginning in begun {
        if !beginning.is_whole || too_many || beginning.bytes.len() >= LONGEST {
            all.push(Beginning { is_whole: false, ..beginning });
            continue;
        }
        for next in next {
            let mut bytes = [beginning.bytes.as_slice(), &next.bytes].concat();
            let is_cut = bytes.len() > LONGEST;
            bytes.truncate(LONGEST);
            all.push(Beginning::new(bytes, next.is_whole && !is_cut));
        }
    }
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::super::syntax::of_re2;
    use super::*;

    #[test]
    fn each_text_begins_with_one_of_the_shortened_texts() {
        let texts: Vec<String> =
            (0..300).map(|number| format!("key-{number:03x}")).chain(["pub-key".to_owned()]).collect();
        let shortened = shortened(&texts);
        assert_eq!(shortened.len(), 20, "{shortened:?}");
        assert!(texts.iter().all(|text| shortened.iter().any(|begun| text.starts_with(begun))));
    }

    fn beginnings(re2: &str) -> Option<String> {
        let hir = regex_syntax::parse(&of_re2(re2)).unwrap();
        Beginnings::of(&hir)
            .map(|found| format!("{}{}", if found.after_word { "\\b" } else { "" }, found.texts.join(" ")))
    }

    #[test]
    fn each_match_begins_with_one_of_the_beginnings_of_its_pattern() {
        let table = [
            (r"\bghp_[0-9a-zA-Z]{36}", Some(r"\bghp_")),
            (r"\b(ghp|gho)_[0-9a-zA-Z]{36}", Some(r"\bgho_ ghp_")),
            (r"(?i)\bsk-ant", Some(r"\bsk-ant")),
            (r"AKIA|ASIA", Some("akia asia")),
            (r"-----BEGIN (?:RSA )?PRIVATE KEY", Some("-----begin p -----begin r")),
            (
                r"xox[bp]-\d",
                Some(
                    "xoxb-0 xoxb-1 xoxb-2 xoxb-3 xoxb-4 xoxb-5 xoxb-6 xoxb-7 xoxb-8 xoxb-9 xoxp-0 xoxp-1 xoxp-2 xoxp-3 xoxp-4 xoxp-5 xoxp-6 xoxp-7 xoxp-8 xoxp-9",
                ),
            ),
            (r"[a-z]{3}", None),
            (r"[0-9]+:AA", None),
            (r"a?b", None),
            (r"\w+x", None),
            (r"", None),
        ];
        for (re2, expected) in table {
            assert_eq!(beginnings(re2).as_deref(), expected, "{re2}");
        }
    }
}
