//! Characters that people do not see, or that look like others than they are.

/// Returns whether a character is not visible: characters without width, marks of direction, fillers, variation selectors, tags and
/// controls of the format.
///
/// These are the default ignorable code points of Unicode (section 5.21 of the standard), and the marks of annotations. White space is
/// not among them.
///
/// ```
/// use exo_rails_text::invisible::is_invisible;
///
/// assert!(is_invisible('\u{200b}') && is_invisible('\u{1d173}'));
/// assert!(!is_invisible('a') && !is_invisible(' '));
/// ```
#[must_use]
pub const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether an invisible character shapes the one before it: a joiner or a variation selector. Emoji and some scripts need them.
///
/// ```
/// use exo_rails_text::invisible::is_shaping;
///
/// assert!(is_shaping('\u{200d}') && is_shaping('\u{fe0f}') && !is_shaping('\u{200b}'));
/// ```
#[must_use]
pub const fn is_shaping(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{180b}'..='\u{180d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns whether a character looks like a space: white space, and the Braille pattern without dots.
///
/// ```
/// use exo_rails_text::invisible::is_blank;
///
/// assert!(is_blank(' ') && is_blank('\u{2028}') && is_blank('\u{2800}'));
/// assert!(!is_blank('a') && !is_blank('\u{200b}'));
/// ```
#[must_use]
pub const fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}'
}

/// Returns whether people do not see a character as it is: invisible and private characters, control characters, and what looks like a
/// space and is none. The space, the tab and the end of a line are what they seem.
///
/// ```
/// use exo_rails_text::invisible::is_deceptive;
///
/// assert!(is_deceptive('\u{202e}') && is_deceptive('\u{a0}') && is_deceptive('\r'));
/// assert!(!is_deceptive('é') && !is_deceptive(' ') && !is_deceptive('\n'));
/// ```
#[must_use]
pub fn is_deceptive(c: char) -> bool {
    !matches!(c, ' ' | '\t' | '\n')
        && (c.is_control()
            || is_blank(c)
            || is_invisible(c)
            // Private characters look different on each machine, and an object replacement stands for something else.
            || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fffc}' | '\u{e0000}'..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_characters_are_what_they_seem() {
        for c in "aZ09-_ é ß 查 한 ع 😀 € “".chars() {
            assert!(!is_invisible(c) && !is_deceptive(c), "{c:?}");
        }
    }

    #[test]
    fn each_way_to_hide_is_known() {
        for c in [
            "\u{ad}\u{200b}\u{200d}\u{2060}\u{feff}",
            "\u{202e}\u{2066}\u{61c}",
            "\u{e0041}\u{e0100}\u{fe0f}",
            "\u{1d173}\u{1bca0}\u{fff9}",
        ]
        .concat()
        .chars()
        {
            assert!(is_invisible(c) && is_deceptive(c), "{c:?}");
        }
        for c in "\u{a0}\u{2003}\u{3000}\u{2028}\u{2029}\u{2800}\u{85}".chars() {
            assert!(is_blank(c) && is_deceptive(c) && !is_invisible(c), "{c:?}");
        }
    }
}
