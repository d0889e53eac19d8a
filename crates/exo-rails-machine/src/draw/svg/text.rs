//! Texts: their lines, their widths, and letters that XML reads as something else.

use super::geometry::Size;

/// A text in lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    pub(super) lines: Vec<String>,
    pub(super) font: Font,
}

/// The size of letters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Font {
    pub(super) size: f64,
    pub(super) is_bold: bool,
}

pub(super) const NAME: Font = Font { size: 14.0, is_bold: true };
pub(super) const TEXT: Font = Font { size: 12.0, is_bold: false };
pub(super) const LABEL: Font = Font { size: 11.0, is_bold: false };

impl Font {
    /// Returns the height of a line.
    pub(super) fn line(self) -> f64 {
        (self.size * 1.3).round()
    }

    /// Returns about the width of a letter. It is rather too large, because the font is not known.
    fn width(self, letter: char) -> f64 {
        let ems = match letter {
            'i' | 'j' | 'l' | '\'' | '.' | ',' | ':' | ';' | '|' | '!' | ' ' => 0.36,
            'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.0,
            'A'..='Z' => 0.74,
            letter if u32::from(letter) < 0x80 => 0.62,
            // East Asian letters and emoji are as wide as they are high.
            letter if u32::from(letter) >= 0x1100 => 1.05,
            _ => 0.72,
        };
        self.size * ems * if self.is_bold { 1.1 } else { 1.0 }
    }

    fn measure(self, text: &str) -> f64 {
        text.chars().map(|letter| self.width(letter)).sum()
    }

    /// Breaks a text into lines, after spaces if possible. What is left after the last line becomes `…`.
    pub(super) fn lines(self, text: &str, width: f64, most: usize) -> Lines {
        let mut lines = Vec::new();
        let mut rest: String = text.chars().map(|letter| if is_text(letter) { letter } else { ' ' }).collect();
        rest = rest.split_whitespace().collect::<Vec<_>>().join(" ");
        while !rest.is_empty() {
            let end = self.end_of_line(&rest, width);
            let (line, next) = rest.split_at_checked(end).unwrap_or((rest.as_str(), ""));
            let (line, next) = (line.trim_end().to_owned(), next.trim_start().to_owned());
            if lines.len() + 1 == most && !next.is_empty() {
                let cut = line.char_indices().next_back().map_or(0, |(at, _)| at);
                lines.push(format!("{}…", line.get(..cut).unwrap_or_default()));
                break;
            }
            lines.push(line);
            rest = next;
        }
        Lines { lines, font: self }
    }

    /// Returns how many bytes fit into a line, at least one letter.
    fn end_of_line(self, text: &str, width: f64) -> usize {
        let (mut used, mut space) = (0.0, None);
        for (at, letter) in text.char_indices() {
            used += self.width(letter);
            if used > width && at > 0 {
                return space.unwrap_or(at);
            }
            // Names have no spaces, so they also break after these letters.
            if matches!(letter, ' ' | '_' | '-' | ',') {
                space = Some(at + letter.len_utf8());
            }
        }
        text.len()
    }
}

impl Lines {
    pub(super) fn size(&self) -> Size {
        let width = self.lines.iter().map(|line| self.font.measure(line)).fold(0.0, f64::max);
        let height = self.lines.iter().map(|_| self.font.line()).sum();
        Size { width: width.ceil(), height }
    }
}

/// Escapes a text for XML. Characters that XML does not have become spaces.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            letter if is_text(letter) => escaped.push(letter),
            _ => escaped.push(' '),
        }
    }
    escaped
}

/// Returns whether a drawing may have a character. Others are not XML, or change the direction of the text after them.
fn is_text(letter: char) -> bool {
    let turns = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !(letter.is_control() || turns || matches!(letter, '\u{fffe}' | '\u{ffff}'))
}
