//! Words with look-alike letters of several scripts (UTS 39).

use std::ops::Range;

use unicode_security::confusable_detection::skeleton;
use unicode_security::mixed_script::MixedScript;

/// Returns the first word in which Latin letters stand beside letters of another script that look like Latin letters.
pub(super) fn mixed_word(text: &str) -> Option<Range<usize>> {
    if text.is_ascii() {
        return None;
    }
    let mut from = 0;
    while let Some(start) = text[from..].find(char::is_alphanumeric).map(|at| from + at) {
        let end = text[start..].find(|c: char| !c.is_alphanumeric()).map_or(text.len(), |at| start + at);
        let word = &text[start..end];
        if !word.is_ascii() && is_mixed(word) {
            return Some(start..end);
        }
        from = end;
    }
    None
}

fn is_mixed(word: &str) -> bool {
    let latin = word.chars().filter(char::is_ascii_alphabetic).count();
    let mut others = word.chars().filter(|c| !c.is_ascii()).peekable();
    // `μm` and `Δt` are honest, and so are accents: their letters are Latin.
    latin > 1 && others.peek().is_some() && word.len() < 256 && !word.is_single_script() && others.all(looks_latin)
}

fn looks_latin(c: char) -> bool {
    skeleton(c.encode_utf8(&mut [0; 4])).all(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_words_are_found() {
        for (text, word) in
            [("a pаypal page", "pаypal"), ("gооgle", "gооgle"), ("ѕystem", "ѕystem"), ("Αdmin", "Αdmin")]
        {
            assert_eq!(mixed_word(text).map(|range| &text[range]), Some(word), "{text}");
        }
        for text in
            ["привет мир", "5 μm, Δt = 3, kΩ", "naïve café Größe", "東京タワー2号", "IT-отдел", "αβγ", "한글 text"]
        {
            assert_eq!(mixed_word(text), None, "{text}");
        }
    }
}
