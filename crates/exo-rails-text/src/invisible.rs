//! Characters that people do not see.

/// Returns whether a character is not visible: zero-width characters, marks of direction, variation selectors, tags.
///
/// ```
/// use exo_rails_text::invisible::is_invisible;
///
/// assert!(is_invisible('\u{200b}') && !is_invisible('a'));
/// ```
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
}
