//! Characters that people do not see and models read: tags, variation selectors, zero-width characters, marks of direction,
//! and escape sequences of terminals.
//!
//! The same characters have honest uses: emoji, Persian and Indic words, flags, Arabic and Hebrew lines. All hidden characters
//! between two visible ones are judged together, so what is kept does not depend on what is removed elsewhere.

use std::ops::Range;

use exo_rails_policy::Severity;
use exo_rails_text::invisible::is_invisible;
use exo_rails_text::look::needs_no_spaces;

/// A kind of hidden characters. It is the name of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Tags,
    VariationSelectors,
    Bidi,
    ZeroWidth,
    Ansi,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] = [Self::Tags, Self::VariationSelectors, Self::Bidi, Self::ZeroWidth, Self::Ansi];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Tags => "hidden_tags",
            Self::VariationSelectors => "hidden_variation_selectors",
            Self::Bidi => "hidden_direction",
            Self::ZeroWidth => "hidden_zero_width",
            Self::Ansi => "hidden_ansi",
        }
    }

    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::Tags => "the text has invisible tag characters",
            Self::VariationSelectors => "the text has variation selectors that select nothing",
            Self::Bidi => "the text has marks that change the direction in which it is shown",
            Self::ZeroWidth => "the text has characters without width where no script needs them",
            Self::Ansi => "the text has escape sequences of terminals",
        }
    }
}

/// Hidden characters of one kind in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hidden {
    pub(crate) kind: Kind,
    pub(crate) severity: Severity,
    /// The bytes of the first ones.
    pub(crate) range: Range<usize>,
    /// What the characters say, if they stand for letters.
    pub(crate) said: String,
}

/// What is hidden in a text.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// One for each kind, in the order of the kinds.
    pub(crate) hidden: Vec<Hidden>,
    /// What to remove, in the order of the text.
    removed: Vec<Range<usize>>,
}

impl Scan {
    pub(crate) fn of(text: &str) -> Self {
        let mut scan = Self::default();
        // Most texts are plain.
        if text.is_ascii() && !text.contains('\u{1b}') {
            return scan;
        }
        let (mut at, mut before, mut line) = (0, None, Line::default());
        while let Some(c) = text[at..].chars().next() {
            if !is_hidden(c) {
                (before, at) = (Some(c), at + c.len_utf8());
                continue;
            }
            let end = end_of_gap(text, at);
            let gap = Gap { text, range: at..end, before, after: text[end..].chars().next() };
            gap.judge(&mut line, &mut scan);
            at = end;
        }
        scan.hidden.sort_by_key(|hidden| hidden.kind);
        scan
    }

    /// Returns what the scan says to remove, in the order of the text.
    pub(crate) fn removed(&self) -> &[Range<usize>] {
        &self.removed
    }

    /// Removes what the scan has found in this text. Returns whether it has removed anything.
    pub(crate) fn strip(&self, text: &mut String) -> bool {
        if self.removed.is_empty() {
            return false;
        }
        let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
        for range in &self.removed {
            kept.push_str(&text[from..range.start]);
            from = range.end;
        }
        kept.push_str(&text[from..]);
        *text = kept;
        true
    }

    fn remove(&mut self, kind: Kind, severity: Severity, range: Range<usize>, said: Option<char>) {
        match self.removed.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.removed.push(range.clone()),
        }
        match self.hidden.iter_mut().find(|hidden| hidden.kind == kind) {
            Some(hidden) => {
                hidden.severity = hidden.severity.max(severity);
                if hidden.range.end == range.start {
                    hidden.range.end = range.end;
                }
                hidden.said.extend(said);
            }
            None => self.hidden.push(Hidden { kind, severity, range, said: said.into_iter().collect() }),
        }
    }
}

/// Returns whether a text has no hidden character, whatever its use. It allocates nothing.
pub(crate) fn is_visible(text: &str) -> bool {
    if text.is_ascii() { !text.contains('\u{1b}') } else { !text.chars().any(is_hidden) }
}

/// Returns all hidden characters and escape sequences, also those with honest uses.
pub(crate) fn gaps(text: &str) -> Vec<Range<usize>> {
    let (mut gaps, mut at) = (Vec::new(), 0);
    while let Some(start) = text[at..].find(is_hidden).map(|start| at + start) {
        at = end_of_gap(text, start);
        gaps.push(start..at);
    }
    gaps
}

/// Returns the start of the hidden characters at the end of a text.
pub(crate) fn last_gap(text: &str) -> Option<usize> {
    gaps(text).pop().filter(|gap| gap.end == text.len()).map(|gap| gap.start)
}

/// Returns whether the character is judged here.
fn is_hidden(c: char) -> bool {
    match c {
        '\u{1b}' | '\u{9b}' => true,
        c => !c.is_ascii() && is_invisible(c),
    }
}

/// Returns the end of the hidden characters and escape sequences that begin here.
fn end_of_gap(text: &str, mut at: usize) -> usize {
    while let Some(c) = text[at..].chars().next().filter(|c| is_hidden(*c)) {
        at = match c {
            '\u{1b}' | '\u{9b}' => escape(text, at).end,
            c => at + c.len_utf8(),
        };
    }
    at
}

/// Returns where an escape sequence begins that the text may not have to its end, because more text follows.
pub(crate) fn begun(text: &str) -> Option<usize> {
    let mut at = text.floor_char_boundary(text.len().saturating_sub(LONGEST_STRING + 3));
    while let Some(start) = text[at..].find(['\u{1b}', '\u{9b}']).map(|start| at + start) {
        if is_begun(&text[start..]) {
            return Some(start);
        }
        at = escape(text, start).end;
    }
    None
}

/// Returns whether a text may be the beginning of an escape sequence.
fn is_begun(text: &str) -> bool {
    let mut bytes = text.bytes();
    let rest = match bytes.next() {
        Some(0x1b) => &text[1..],
        // In UTF-8, the character has two bytes.
        _ => return is_parameters(&text['\u{9b}'.len_utf8()..]),
    };
    match bytes.next() {
        None | Some(b' '..=b'/') => rest.len() <= 1,
        Some(b'[') => is_parameters(&rest[1..]),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let content = &rest[1..];
            content.len() <= LONGEST_STRING
                && content.find(['\u{7}', '\u{1b}', '\u{9c}', '\n']).is_none_or(|end| &content[end..] == "\u{1b}")
        }
        Some(_) => false,
    }
}

fn is_parameters(text: &str) -> bool {
    text.len() <= LONGEST_PARAMETERS && text.bytes().all(|byte| matches!(byte, 0x20..=0x3f))
}

/// The most bytes of a string in an escape sequence, such as a title.
const LONGEST_STRING: usize = 4096;

/// The most bytes of the parameters of a control sequence.
const LONGEST_PARAMETERS: usize = 64;

/// An escape sequence.
struct Escape {
    end: usize,
    severity: Severity,
}

/// Reads the sequence that begins here (ECMA-48). A lone escape character is a sequence too.
fn escape(text: &str, at: usize) -> Escape {
    let rest = text[at..].strip_prefix('\u{1b}');
    let start = at + text[at..].chars().next().map_or(0, char::len_utf8);
    match rest.map(|rest| rest.bytes().next()) {
        // A control sequence: parameters, then one final byte.
        None => control_sequence(text, start, start),
        Some(Some(b'[')) => control_sequence(text, start + 1, start),
        // A string, such as a title, a link or text for the clipboard.
        Some(Some(b']' | b'P' | b'X' | b'^' | b'_')) => control_string(text, start + 1, start),
        Some(Some(b' '..=b'/')) if text.as_bytes().get(start + 1).is_some_and(u8::is_ascii_graphic) => {
            Escape { end: start + 2, severity: Severity::Low }
        }
        Some(Some(b'0'..=b'~')) => Escape { end: start + 1, severity: Severity::Low },
        Some(_) => Escape { end: start, severity: Severity::Low },
    }
}

fn control_sequence(text: &str, parameters: usize, lone: usize) -> Escape {
    let bytes = &text.as_bytes()[parameters..];
    let length = bytes.iter().take(LONGEST_PARAMETERS).take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
    let severity = match bytes.get(length) {
        // Colours and styles are honest, apart from hidden text.
        Some(b'm') if text[parameters..parameters + length].split(';').all(|style| style != "8") => Severity::Info,
        Some(b'm') => Severity::Medium,
        Some(0x40..=0x7e) => Severity::Low,
        _ => return Escape { end: lone, severity: Severity::Low },
    };
    Escape { end: parameters + length + 1, severity }
}

fn control_string(text: &str, content: usize, lone: usize) -> Escape {
    let most = text.floor_char_boundary(content.saturating_add(LONGEST_STRING));
    let end = text[content..most].find(['\u{7}', '\u{1b}', '\u{9c}', '\n']).map(|end| content + end);
    match end.map(|end| (end, &text[end..])) {
        Some((end, rest)) if rest.starts_with('\u{7}') => Escape { end: end + 1, severity: Severity::Medium },
        Some((end, rest)) if rest.starts_with('\u{9c}') => Escape { end: end + 2, severity: Severity::Medium },
        Some((end, rest)) if rest.starts_with("\u{1b}\\") => Escape { end: end + 2, severity: Severity::Medium },
        // It does not end, so a terminal would show it in the end.
        _ => Escape { end: lone, severity: Severity::Low },
    }
}

/// The hidden characters between two visible ones.
struct Gap<'t> {
    text: &'t str,
    range: Range<usize>,
    before: Option<char>,
    after: Option<char>,
}

/// How many hidden characters of each kind a gap keeps so far.
#[derive(Default)]
struct Kept {
    all: usize,
    joiners: usize,
    breaks: usize,
    marks: usize,
    embeddings: usize,
    others: usize,
}

impl Gap<'_> {
    fn judge(&self, line: &mut Line, scan: &mut Scan) {
        let (mut at, mut kept) = (self.range.start, Kept::default());
        // A hidden message needs many characters. A few are often left by editors.
        let is_message = self.text[self.range.clone()].chars().nth(7).is_some();
        while let Some(c) = self.text[at..self.range.end].chars().next() {
            if matches!(c, '\u{1b}' | '\u{9b}') {
                let Escape { end, severity } = escape(self.text, at);
                scan.remove(Kind::Ansi, severity, at..end, None);
                at = end;
                continue;
            }
            if let Some(flag) = self.flag(at, &kept) {
                (at, kept.all) = (at + flag, kept.all + 1);
                continue;
            }
            let end = at + c.len_utf8();
            if self.keeps(c, at, &mut kept, line) {
                kept.all += 1;
            } else {
                let (kind, severity, said) = meaning(c, is_message);
                scan.remove(kind, severity, at..end, said);
            }
            at = end;
        }
    }

    /// Returns the length of a flag's tags: a black flag, the tags of a region, and the end.
    fn flag(&self, at: usize, kept: &Kept) -> Option<usize> {
        if self.before != Some('\u{1f3f4}') || kept.all > 0 {
            return None;
        }
        let tags = &self.text[at..self.range.end];
        let end = tags.char_indices().take(8).find(|(_, c)| *c == '\u{e007f}').map(|(end, _)| end)?;
        let is_region = |c| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
        (end > 8 && tags[..end].chars().all(is_region)).then_some(end + 4)
    }

    fn keeps(&self, c: char, at: usize, kept: &mut Kept, line: &mut Line) -> bool {
        let (before, after) = (self.before.unwrap_or(' '), self.after.unwrap_or(' '));
        let first = |count: &mut usize, most: usize| {
            *count += 1;
            *count <= most
        };
        match c {
            '\u{feff}' => at == 0,
            '\u{fe00}'..='\u{fe0f}' => kept.all == 0 && has_variants(before),
            '\u{e0100}'..='\u{e01ef}' => kept.all == 0 && needs_no_spaces(before),
            '\u{180b}'..='\u{180f}' => kept.all == 0 && matches!(before, '\u{1800}'..='\u{18af}'),
            '\u{200d}' if is_pictograph(before) && is_pictograph(after) => first(&mut kept.joiners, 1),
            '\u{200c}' | '\u{200d}' => is_joining(before) && first(&mut kept.joiners, 1),
            '\u{200b}' => (needs_no_spaces(before) || needs_no_spaces(after)) && first(&mut kept.breaks, 1),
            '\u{ad}' => before.is_alphabetic() && after.is_alphabetic() && first(&mut kept.breaks, 1),
            '\u{2060}' => !(before.is_alphanumeric() && after.is_alphanumeric()) && first(&mut kept.breaks, 1),
            '\u{34f}' | '\u{2061}'..='\u{2064}' => before.is_alphanumeric() && first(&mut kept.others, 1),
            '\u{115f}' | '\u{1160}' => is_hangul(before) || is_hangul(after),
            '\u{17b4}' | '\u{17b5}' => matches!(before, '\u{1780}'..='\u{17ff}') && first(&mut kept.others, 1),
            '\u{200e}' | '\u{200f}' | '\u{61c}' => first(&mut kept.marks, 2),
            '\u{202a}'..='\u{202c}' | '\u{2066}'..='\u{2069}' => {
                line.is_right_to_left(self.text, at) && first(&mut kept.embeddings, 4)
            }
            _ => false,
        }
    }
}

/// Returns the kind of a hidden character that no script needs, how serious it is, and the letter for which it stands.
fn meaning(c: char, is_message: bool) -> (Kind, Severity, Option<char>) {
    let of_message = |severity| if is_message { severity } else { Severity::Low };
    let code = u32::from(c);
    match c {
        '\u{e0020}'..='\u{e007e}' => (Kind::Tags, Severity::High, char::from_u32(code - 0xe0000)),
        '\u{e0000}'..='\u{e007f}' => (Kind::Tags, Severity::Medium, None),
        // A byte per selector.
        '\u{fe00}'..='\u{fe0f}' => {
            (Kind::VariationSelectors, of_message(Severity::High), char::from_u32(code - 0xfe00).filter(char::is_ascii))
        }
        '\u{e0100}'..='\u{e01ef}' => {
            let letter = char::from_u32(code - 0xe0100 + 16).filter(char::is_ascii);
            (Kind::VariationSelectors, of_message(Severity::High), letter)
        }
        '\u{200e}' | '\u{200f}' | '\u{61c}' => (Kind::Bidi, Severity::Low, None),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => (Kind::Bidi, Severity::Medium, None),
        _ => (Kind::ZeroWidth, of_message(Severity::Medium), None),
    }
}

/// The line of a place, with the direction of its letters.
#[derive(Default)]
struct Line {
    end: usize,
    is_right_to_left: bool,
}

impl Line {
    fn is_right_to_left(&mut self, text: &str, at: usize) -> bool {
        if at >= self.end {
            let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
            self.end = text[at..].find('\n').map_or(text.len(), |end| at + end) + 1;
            self.is_right_to_left = shows(&text[start..self.end.min(text.len())], is_right_to_left);
        }
        self.is_right_to_left
    }
}

/// Returns whether a text has such a character outside of escape sequences.
fn shows(text: &str, is_wanted: fn(char) -> bool) -> bool {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        at = match c {
            '\u{1b}' | '\u{9b}' => escape(text, at).end,
            c if is_wanted(c) => return true,
            c => at + c.len_utf8(),
        };
    }
    false
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'..='\u{1efff}')
}

/// Returns whether a character changes its form beside others: letters of Arabic, Indic and South-East Asian scripts.
const fn is_joining(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{dff}' | '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{1a20}'..='\u{1cff}'
        | '\u{a840}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{11000}'..='\u{11fff}')
}

const fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115e}' | '\u{1161}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}')
}

/// Returns whether a character is a picture that a variation selector or a joiner may follow.
const fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{20e3}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{23ff}' | '\u{2460}'..='\u{27bf}' | '\u{2900}'..='\u{2bff}' | '\u{3030}' | '\u{303d}'
        | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Returns whether a character has variants: pictures, keys, symbols of mathematics, ideographs.
const fn has_variants(c: char) -> bool {
    is_pictograph(c)
        || needs_no_spaces(c)
        || matches!(c, '0'..='9' | '#' | '*' | '\u{2010}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(text: &str) -> String {
        let mut text = text.to_owned();
        Scan::of(&text.clone()).strip(&mut text);
        text
    }

    #[test]
    fn legitimate_invisible_characters_are_kept() {
        for text in [
            "plain text\n\twith tabs\r\n",
            "👩\u{200d}💻 👨\u{200d}👩\u{200d}👧\u{200d}👦 ❤\u{fe0f}\u{200d}🔥 🏳\u{fe0f}\u{200d}🌈 👍🏽 1\u{fe0f}\u{20e3} ☎\u{fe0f}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} wins",
            "می\u{200c}خواهم کتاب\u{200c}ها",
            "क्\u{200d}ष र्\u{200c}य",
            "שלום\u{200f} (hello)\u{200e}, \u{202b}مرحبا\u{202c} \u{2067}عربي\u{2069}",
            "\u{feff}name,price",
            "Donau\u{ad}dampf\u{ad}schiff",
            "ภาษา\u{200b}ไทย",
            "葛\u{e0100}城市",
            "ᠮᠣᠩᠭᠣᠯ\u{180b}",
            "naïve café 查询 Ωmega 10\u{a0}€",
        ] {
            assert!(Scan::of(text).hidden.is_empty(), "{text:?}: {:?}", Scan::of(text).hidden);
            assert_eq!(stripped(text), text);
        }
    }

    #[test]
    fn hidden_characters_are_found_and_removed() {
        let tags: String = "ignore".chars().filter_map(|c| char::from_u32(0xe0000 + u32::from(c))).collect();
        let selectors: String = "ignore".bytes().filter_map(|b| char::from_u32(0xe0100 + u32::from(b) - 16)).collect();
        let table = [
            (format!("Hello{tags} you"), "Hello you", Kind::Tags, "ignore"),
            (format!("🏴{tags}"), "🏴", Kind::Tags, "ignore"),
            (format!("😀{selectors}!"), "😀!", Kind::VariationSelectors, "ignore"),
            ("pass\u{200b}word".to_owned(), "password", Kind::ZeroWidth, ""),
            ("a\u{200c}\u{200d}\u{200c}\u{200d}b".to_owned(), "ab", Kind::ZeroWidth, ""),
            ("x\u{202e}txt.exe\u{202c}".to_owned(), "xtxt.exe", Kind::Bidi, ""),
            ("if \u{2066}admin\u{2069}".to_owned(), "if admin", Kind::Bidi, ""),
            ("\u{1b}[31mred\u{1b}[0m".to_owned(), "red", Kind::Ansi, ""),
            ("a\u{1b}[8msecret\u{1b}[0m".to_owned(), "asecret", Kind::Ansi, ""),
            ("\u{1b}]0;title\u{7}text".to_owned(), "text", Kind::Ansi, ""),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\".to_owned(), "link", Kind::Ansi, ""),
            ("\u{1b}]52;c;cm0gLXJm\u{7}".to_owned(), "", Kind::Ansi, ""),
            ("\u{1b}\u{200b}[31mx".to_owned(), "[31mx", Kind::ZeroWidth, ""),
            ("\u{1b}]0;no end".to_owned(), "]0;no end", Kind::Ansi, ""),
        ];
        for (text, expected, kind, said) in table {
            let scan = Scan::of(&text);
            let hidden = scan.hidden.iter().find(|hidden| hidden.kind == kind);
            assert_eq!(hidden.map(|hidden| hidden.said.as_str()), Some(said), "{text:?}: {scan:?}");
            assert_eq!(stripped(&text), expected, "{text:?}");
            assert_eq!(stripped(expected), expected, "{text:?}");
        }
    }
}
