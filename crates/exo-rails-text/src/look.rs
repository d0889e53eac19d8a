//! Characters as people read them: without case, accents, look-alikes and invisible characters.

use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

use crate::codes;
use crate::invisible::{is_blank, is_invisible};
use crate::reading::Reading;

/// The most characters that one character is read as.
const MOST: usize = 4;

/// What a character is in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A letter or a digit.
    Word,
    /// A visible character between words.
    Mark,
    /// White space.
    Space,
    /// It is not visible, or an accent.
    Nothing,
}

/// A character as people read it.
#[derive(Clone, Copy, Debug)]
pub struct Folded {
    /// What the character is.
    pub kind: Kind,
    /// Whether the letter is an `l` that may as well be an `i`, as the Cyrillic `І`.
    pub is_ambiguous: bool,
    /// The letters, padded with `\0`.
    letters: [char; MOST],
}

impl Folded {
    const fn new(kind: Kind, letter: char) -> Self {
        Self { kind, is_ambiguous: false, letters: [letter, '\0', '\0', '\0'] }
    }

    /// Returns the letters, in lower case and without accents. A mark or a word has up to four, and the other kinds have none.
    pub fn letters(&self) -> impl Iterator<Item = char> {
        self.letters.into_iter().take_while(|letter| *letter != '\0')
    }
}

/// Reads a character. Equal characters always have equal results, wherever they are in a text.
///
/// ```
/// use exo_rails_text::look::{Kind, fold};
///
/// assert_eq!(fold('Ñ').letters().collect::<String>(), "n");
/// assert_eq!(fold('ﬁ').letters().collect::<String>(), "fi");
/// assert_eq!(fold('\u{200b}').kind, Kind::Nothing);
/// ```
#[must_use]
pub fn fold(c: char) -> Folded {
    static FOLDED: Pages<Folded> = Pages::new();
    if c.is_ascii() { fold_ascii(c) } else { FOLDED.get(c, fold_any) }
}

/// What characters are read as, page by page, because most programs see few pages.
struct Pages<T: 'static>([OnceLock<Box<[T]>>; 0x200]);

impl<T: Copy> Pages<T> {
    const fn new() -> Self {
        Self([const { OnceLock::new() }; 0x200])
    }

    /// Returns what a character is read as. `read` reads it.
    fn get(&self, c: char, read: fn(char) -> T) -> T {
        let code = u32::from(c);
        let Some(page) = self.0.get((code >> 8) as usize) else { return read(c) };
        let of_code = |code| read(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        page.get_or_init(|| (code & !0xff..=code | 0xff).map(of_code).collect())[(code & 0xff) as usize]
    }
}

const fn fold_ascii(c: char) -> Folded {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Folded::new(Kind::Word, c.to_ascii_lowercase()),
        '\t' | '\n' | '\r' | ' ' | '\x0b' | '\x0c' => Folded::new(Kind::Space, '\0'),
        '\0'..='\x1f' | '\x7f' => Folded::new(Kind::Nothing, '\0'),
        _ => Folded::new(Kind::Mark, c),
    }
}

fn fold_any(c: char) -> Folded {
    if is_blank(c) {
        return Folded::new(Kind::Space, '\0');
    }
    if is_invisible(c) || is_combining_mark(c) || c.is_control() {
        return Folded::new(Kind::Nothing, '\0');
    }
    let mut folded = Folded::new(Kind::Mark, '\0');
    let mut letters = Vec::new();
    for c in letter_in_a_sign(c).unwrap_or(c).nfkd() {
        folded.is_ambiguous |= look(c, &mut letters);
    }
    if letters.iter().any(|letter| letter.is_alphanumeric()) {
        folded.kind = Kind::Word;
        letters.retain(|letter| letter.is_alphanumeric());
    }
    if letters.is_empty() {
        return Folded::new(Kind::Nothing, '\0');
    }
    folded.letters.iter_mut().zip(letters).for_each(|(place, letter)| *place = letter);
    folded
}

/// Adds what a character of a decomposition looks like, in lower case. Returns whether it is an `l` that may be an `i`.
fn look(c: char, letters: &mut Vec<char>) -> bool {
    if is_combining_mark(c) {
        return false;
    }
    if c.is_ascii() {
        letters.push(c.to_ascii_lowercase());
        return false;
    }
    match ascii_look(c) {
        Some('l' | 'I' | '|') if c.is_alphabetic() => {
            letters.push('l');
            return true;
        }
        Some(look) => letters.push(look.to_ascii_lowercase()),
        None if c.is_alphanumeric() => {
            // `ß` and `ſ` have no other form in common with `SS` and `S`.
            for c in c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase) {
                match ascii_look(c) {
                    _ if c.is_ascii() => letters.push(c),
                    Some(look) => letters.push(look.to_ascii_lowercase()),
                    None => letters.extend(skeleton_of(c).chars().flat_map(char::to_lowercase)),
                }
            }
        }
        None => letters.push(c),
    }
    false
}

/// Returns the character of ASCII that a character looks like.
fn ascii_look(c: char) -> Option<char> {
    let looks = skeleton_of(c);
    let mut characters = looks.chars();
    match (looks.as_str(), characters.next(), characters.next()) {
        ("rn", ..) => Some('m'),
        (_, Some(look), None) if look.is_ascii_graphic() => Some(look),
        _ => None,
    }
}

/// Returns the characters that a character looks like, without marks (UTS 39).
fn skeleton_of(c: char) -> String {
    let looks: String = skeleton(c.encode_utf8(&mut [0; 4])).filter(|c| !is_combining_mark(*c)).collect();
    if looks.is_empty() { c.to_string() } else { looks }
}

/// Returns `l` for `i`, and every other letter as it is. A look-alike may be an `l` or an `i`, so comparisons treat both as one letter.
///
/// ```
/// use exo_rails_text::look::merged;
///
/// assert_eq!(merged('i'), merged('l'));
/// ```
#[must_use]
pub const fn merged(letter: char) -> char {
    if letter == 'i' { 'l' } else { letter }
}

/// Reads a text with the letters and signs of ASCII that its characters look like, in their case. Accents and invisible characters are
/// left out. Returns `None` if every character is what it seems.
///
/// ```
/// use exo_rails_text::look::reading;
///
/// let text = |text| reading(text).map(|reading| reading.into_text());
/// assert_eq!(text("ｓｋ－Аb\u{200b}1").as_deref(), Some("sk-Ab1"));
/// assert_eq!(text("größer 查询").as_deref(), Some("großer 查询"));
/// assert_eq!(text("plain 查询"), None);
/// ```
#[must_use]
pub fn reading(text: &str) -> Option<Reading> {
    if text.is_ascii() {
        return None;
    }
    let pieces = text.char_indices().filter(|(_, c)| !c.is_ascii()).filter_map(|(at, c)| {
        let look = plain_look(c)?;
        Some((at..at + c.len_utf8(), look.into_iter().flatten()))
    });
    Reading::new(text, None, pieces)
}

/// Reads the codes of a text, and those that have a hidden character or look-alikes in them.
pub(crate) fn decoded(text: &str) -> impl Iterator<Item = Reading> {
    let look = reading(text);
    codes::decoded(text, true).into_iter().chain(look.and_then(|look| codes::decoded(look.text(), true)))
}

/// Returns whether [`reading`] has nothing to read. It allocates nothing for characters that it has seen before.
///
/// ```
/// assert!(exo_rails_text::look::is_what_it_seems("plain 查询"));
/// ```
#[must_use]
pub fn is_what_it_seems(text: &str) -> bool {
    text.is_ascii() || text.chars().all(|c| c.is_ascii() || plain_look(c).is_none())
}

/// The characters of ASCII that a character looks like: up to two, and none for what people do not see.
type PlainLook = [Option<char>; 2];

/// Returns what a character looks like, if that is something else than the character.
fn plain_look(c: char) -> Option<PlainLook> {
    static LOOKS: Pages<Option<PlainLook>> = Pages::new();
    LOOKS.get(c, plain_look_of)
}

fn plain_look_of(c: char) -> Option<PlainLook> {
    if is_invisible(c) || is_combining_mark(c) {
        return Some([None, None]);
    }
    if is_blank(c) {
        return Some([Some(' '), None]);
    }
    let mut looks = [None; 2];
    let mut places = looks.iter_mut();
    for c in letter_in_a_sign(c).unwrap_or(c).nfkd().filter(|c| !is_combining_mark(*c)) {
        let look = if c.is_ascii() { Some(c) } else { ascii_look(c) };
        *places.next()? = Some(look?);
    }
    Some(looks)
}

/// Returns the letter in a sign that Unicode does not decompose, such as the letter in a black circle.
fn letter_in_a_sign(c: char) -> Option<char> {
    let first = match c {
        '\u{1f150}'..='\u{1f169}' => 0x1f150,
        '\u{1f170}'..='\u{1f189}' => 0x1f170,
        '\u{1f1e6}'..='\u{1f1ff}' => 0x1f1e6,
        _ => return None,
    };
    char::from_u32(c as u32 - first + u32::from('a'))
}

/// Returns whether words of the script of a character stand without spaces between them.
///
/// ```
/// use exo_rails_text::look::needs_no_spaces;
///
/// assert!(needs_no_spaces('查') && !needs_no_spaces('a'));
/// ```
#[must_use]
pub const fn needs_no_spaces(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        text.chars().flat_map(|c| fold(c).letters().collect::<Vec<_>>()).collect()
    }

    #[test]
    fn a_letter_that_may_be_another_is_ambiguous() {
        assert!(fold('І').is_ambiguous && fold('Ι').is_ambiguous);
        assert_eq!(fold('І').letters().collect::<String>(), "l");
        assert!(!fold('i').is_ambiguous && !fold('l').is_ambiguous && !fold('е').is_ambiguous);
    }

    #[test]
    fn a_text_is_read_in_ascii() {
        for (text, expected) in [
            ("ｓｋ－ｐｒｏｊ－４２", "sk-proj-42"),
            ("𝐬𝐤-𝟏𝟐", "sk-12"),
            ("ѕk-рrоj АВЕ", "sk-proj ABE"),
            ("s\u{200b}k\u{301}-\u{fe0f}1", "sk-1"),
            ("s\u{e0061}k\u{e0100}", "sk"),
            ("a\u{a0}b\u{2800}c", "a b c"),
            ("é ﬁ ⓐ", "e fi a"),
        ] {
            assert_eq!(reading(text).map(Reading::into_text).as_deref(), Some(expected), "{text}");
            assert!(!is_what_it_seems(text), "{text}");
        }
        for text in ["plain", "查询 한 €"] {
            assert_eq!(reading(text).filter(|reading| reading.text() != text), None, "{text}");
        }
    }

    #[test]
    fn each_character_folds_to_the_letter_that_it_looks_like() {
        let table = [
            ("Ignore", "ignore"),
            ("ｉｇｎｏｒｅ", "ignore"),
            ("𝐢𝗴𝓃𝑜𝖗𝚎", "ignore"),
            ("ïgnörè", "ignore"),
            ("i\u{200b}g\u{ad}n\u{fe0f}ore", "ignore"),
            ("ⓘⓖⓝⓞⓡⓔ", "ignore"),
            ("🅘🅖🅝🅞🅡🅔", "ignore"),
            ("🄸🄶🄽🄾🅁🄴", "ignore"),
            ("оwе", "owe"),
            ("ﬁne", "fine"),
            ("查询", "查询"),
            ("[a]", "[a]"),
            ("Straße ſtark STRASSE", "strassestarkstrasse"),
            ("a‐b−c", "a-b-c"),
        ];
        for (text, expected) in table {
            let read = read(text);
            assert_eq!(read, expected, "{text}");
        }
    }
}
