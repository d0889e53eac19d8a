//! Characters as people read them: without case, accents, look-alikes and invisible characters.

use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

use crate::invisible::is_invisible;

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
    /// The letters, padded with `\0`.
    letters: [char; MOST],
}

impl Folded {
    const fn new(kind: Kind, letter: char) -> Self {
        Self { kind, letters: [letter, '\0', '\0', '\0'] }
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
    static PAGES: [OnceLock<Box<[Folded]>>; 0x200] = [const { OnceLock::new() }; 0x200];
    if c.is_ascii() {
        return fold_ascii(c);
    }
    let code = c as usize;
    match PAGES.get(code >> 8) {
        // Page by page, because most programs see few of them.
        Some(page) => page.get_or_init(|| page_of(code >> 8))[code & 0xff],
        None => fold_any(c),
    }
}

fn page_of(page: usize) -> Box<[Folded]> {
    let code = |low: usize| u32::try_from((page << 8) | low).ok().and_then(char::from_u32);
    (0..0x100).map(|low| code(low).map_or(Folded::new(Kind::Nothing, '\0'), fold_any)).collect()
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
    if c.is_ascii() {
        return fold_ascii(c);
    }
    if c.is_whitespace() {
        return Folded::new(Kind::Space, '\0');
    }
    if is_invisible(c) || is_combining_mark(c) || c.is_control() {
        return Folded::new(Kind::Nothing, '\0');
    }
    let mut folded = Folded::new(Kind::Mark, '\0');
    let mut places = folded.letters.iter_mut();
    for letter in letter_in_a_sign(c).unwrap_or(c).nfkd().flat_map(looks) {
        if let Some(place) = places.next() {
            *place = letter;
        }
    }
    if folded.letters().next().is_none() {
        return Folded::new(Kind::Nothing, '\0');
    }
    if folded.letters().any(char::is_alphanumeric) {
        folded.kind = Kind::Word;
        let letters = folded.letters;
        folded.letters = ['\0'; MOST];
        let letters = letters.into_iter().filter(|letter| letter.is_alphanumeric());
        folded.letters.iter_mut().zip(letters).for_each(|(place, letter)| *place = letter);
    }
    folded
}

/// Returns what a character of a decomposition looks like.
fn looks(c: char) -> Vec<char> {
    if is_combining_mark(c) {
        return Vec::new();
    }
    if c.is_ascii() || !c.is_alphanumeric() {
        return vec![c.to_ascii_lowercase()];
    }
    let looks: String = skeleton(c.encode_utf8(&mut [0; 4])).filter(|c| !is_combining_mark(*c)).collect();
    match looks.as_str() {
        "rn" => vec!['m'],
        "" => vec![c],
        looks => looks.chars().flat_map(char::to_lowercase).collect(),
    }
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
        ];
        for (text, expected) in table {
            let read = read(text);
            assert_eq!(read, expected, "{text}");
        }
    }
}
