//! Words: quotes, escapes, expansions, braces, patterns.

use exo_rails_text::invisible::{is_blank, is_invisible};

use super::{Parameter, Part, Program, Reader, Reads, Word, is_name};
use crate::word::mark;

/// Where the parts of a word stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Outside of quotes.
    Bare,
    /// Between double quotes, which end the place.
    Quoted,
    /// In the lines of a here-document, which a `"` does not end.
    Document,
}

impl Reader<'_> {
    /// Reads one word, or `None` if no word begins here.
    pub(super) fn word(&mut self) -> Reads<Option<Word>> {
        let start = self.at;
        let mut parts = Vec::new();
        while let Some(byte) = self.peek() {
            match byte {
                b'(' if is_extended_glob(&parts) => self.extended_glob(&mut parts)?,
                b'<' | b'>' if self.peek_at(1) == Some(b'(') => {
                    let reads = byte == b'>';
                    self.at += 2;
                    let program = self.deeper(Self::substitution)?;
                    parts.push(Part::Process { program, reads });
                }
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
                b'~' if self.at == start || self.is_in_assignment(start) => self.tilde(&mut parts),
                b'{' => self.brace(&mut parts, start)?,
                _ => self.piece(&mut parts)?,
            }
        }
        if self.at == start {
            return Ok(None);
        }
        self.count()?;
        if parts.is_empty() {
            // A `\` at the end of a line, and nothing else.
            parts.push(Part::Text { text: String::new(), quoted: false, at: None });
        }
        Ok(Some(Word { parts, span: start..self.at }))
    }

    fn is_in_assignment(&self, start: usize) -> bool {
        let raw = &self.text[start..self.at];
        let Some((name, value)) = raw.split_once('=') else { return false };
        is_name(name.strip_suffix('+').unwrap_or(name)) && (value.is_empty() || value.ends_with(':'))
    }

    fn extended_glob(&mut self, parts: &mut Vec<Part>) -> Reads<()> {
        if let Some(Part::Text { text, .. }) = parts.last_mut() {
            text.pop();
        } else {
            parts.pop();
        }
        self.at += 1;
        let mut patterns = Vec::new();
        loop {
            if let Some(pattern) = self.deeper(Self::word)? {
                patterns.push(pattern);
            }
            match self.peek() {
                Some(b'|') => self.at += 1,
                Some(b')') => break,
                _ => return self.unreadable("a pattern has no `)`"),
            }
        }
        self.at += 1;
        parts.push(Part::ExtendedGlob(patterns));
        Ok(())
    }

    fn tilde(&mut self, parts: &mut Vec<Part>) {
        let rest = &self.text.as_bytes()[self.at + 1..];
        let length =
            rest.iter().position(|b| !(b.is_ascii_alphanumeric() || b"+-_.".contains(b))).unwrap_or(rest.len());
        let user = &self.text[self.at + 1..self.at + 1 + length];
        match rest.get(length) {
            None | Some(b'/' | b':' | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>') => {
                parts.push(Part::Tilde(user.to_owned()));
                self.at += 1 + length;
            }
            _ => {
                push_text(parts, "~", false, Some(self.at));
                self.at += 1;
            }
        }
    }

    /// Reads `{a,b}` or `{1..5}`. Another `{` is a plain character.
    fn brace(&mut self, parts: &mut Vec<Part>, start: usize) -> Reads<()> {
        let before = self.at;
        if self.at > start && self.text.as_bytes()[self.at - 1] == b'$' {
            push_text(parts, "{", false, Some(before));
            self.at += 1;
            return Ok(());
        }
        self.at += 1;
        let mut alternatives = vec![Vec::new()];
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
                b',' => {
                    self.at += 1;
                    alternatives.push(Vec::new());
                }
                b'}' => {
                    if alternatives.len() > 1 {
                        self.at += 1;
                        parts.push(Part::Braces(alternatives));
                        return Ok(());
                    }
                    if let Some(range) = self.range(before) {
                        self.at += 1;
                        parts.push(Part::Braces(range));
                        return Ok(());
                    }
                    break;
                }
                b'{' => {
                    let inner = self.at;
                    let last = alternatives.last_mut().map(std::mem::take).unwrap_or_default();
                    let last = self.deeper(|reader| {
                        let mut last = last;
                        reader.brace(&mut last, inner).map(|()| last)
                    })?;
                    if let Some(place) = alternatives.last_mut() {
                        *place = last;
                    }
                }
                _ => {
                    if let Some(last) = alternatives.last_mut() {
                        let mut taken = std::mem::take(last);
                        self.piece(&mut taken)?;
                        if let Some(place) = alternatives.last_mut() {
                            *place = taken;
                        }
                    }
                }
            }
        }
        // It was no list: the `{` and the `,` are characters.
        push_text(parts, "{", false, Some(before));
        let only = alternatives.len() == 1;
        for (number, alternative) in alternatives.into_iter().enumerate() {
            if number > 0 {
                push_text(parts, ",", false, None);
            }
            for part in alternative {
                match part {
                    Part::Text { text, quoted, at } => push_text(parts, &text, quoted, at.filter(|_| only)),
                    other => parts.push(other),
                }
            }
        }
        Ok(())
    }

    /// Returns the words of `{1..5}` or `{a..e}`, if the text between the braces is a range.
    fn range(&self, open: usize) -> Option<Vec<Vec<Part>>> {
        let inner = self.text.get(open + 1..self.at)?;
        let mut ends = inner.split("..");
        let (first, last, step) = (ends.next()?, ends.next()?, ends.next());
        if ends.next().is_some() {
            return None;
        }
        let step = step.map_or(Some(1), |step| step.parse::<i64>().ok())?.unsigned_abs().max(1);
        let values: Vec<String> = if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
            let (low, high) = (first.min(last), first.max(last));
            let values = (0..=high.abs_diff(low) / step).take(MOST_OF_A_RANGE);
            let signed = |count: u64| i64::try_from(count * step).ok();
            values.filter_map(|count| low.checked_add(signed(count)?)).map(|value| value.to_string()).collect()
        } else {
            let letter = |text: &str| match text.as_bytes() {
                [byte] if byte.is_ascii_alphabetic() => Some(*byte),
                _ => None,
            };
            let (first, last) = (letter(first)?, letter(last)?);
            (first.min(last)..=first.max(last)).map(|byte| char::from(byte).to_string()).collect()
        };
        Some(values.into_iter().map(|text| vec![Part::Text { text, quoted: false, at: None }]).collect())
    }

    /// Reads one piece of a word outside of double quotes.
    fn piece(&mut self, parts: &mut Vec<Part>) -> Reads<()> {
        let at = self.at;
        let Some(c) = self.next_char() else { return Ok(()) };
        match c {
            '\\' => match self.next_char() {
                None => return self.unreadable("the command ends with `\\`"),
                Some('\n') => {}
                Some(c) => push_text(parts, c.encode_utf8(&mut [0; 4]), true, None),
            },
            '\'' => {
                let Some(length) = self.text[self.at..].find('\'') else {
                    return self.unreadable("a `'` has no end");
                };
                push_text(parts, &self.text[self.at..self.at + length], true, Some(self.at));
                self.at += length + 1;
            }
            '"' => {
                push_text(parts, "", true, None);
                self.quoted(parts, Place::Quoted)?;
            }
            '$' => self.dollar(parts, Place::Bare)?,
            '`' => self.backquoted(parts, false)?,
            '*' | '?' | '[' => parts.push(Part::Glob(c)),
            c if is_invisible(c) || is_blank(c) && !matches!(c, '\n' | '\t' | ' ') => {
                return self.refuse("hidden-character", "the command has a character that people cannot see");
            }
            _ => {
                let bytes = self.text.as_bytes();
                while self.at < bytes.len() && is_plain(bytes[self.at]) {
                    self.at += 1;
                }
                push_text(parts, &self.text[at..self.at], false, Some(at));
            }
        }
        Ok(())
    }

    /// Reads the lines of a here-document with expansions.
    pub(super) fn document(&mut self) -> Reads<Vec<Part>> {
        let mut parts = Vec::new();
        self.quoted(&mut parts, Place::Document)?;
        Ok(parts)
    }

    /// Reads to the `"` that ends the place, or to the end of a here-document.
    fn quoted(&mut self, parts: &mut Vec<Part>, place: Place) -> Reads<()> {
        let is_document = place == Place::Document;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' if !is_document => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => {
                    self.at += 1;
                    match self.next_char() {
                        None if is_document => push_text(parts, "\\", true, None),
                        None => return self.unreadable("a `\"` has no end"),
                        Some('\n') => {}
                        Some(c) if matches!(c, '$' | '`' | '\\') || c == '"' && !is_document => {
                            push_text(parts, c.encode_utf8(&mut [0; 4]), true, None);
                        }
                        Some(c) => {
                            push_text(parts, "\\", true, None);
                            push_text(parts, c.encode_utf8(&mut [0; 4]), true, None);
                        }
                    }
                }
                b'$' => {
                    self.at += 1;
                    self.dollar(parts, place)?;
                }
                b'`' => {
                    self.at += 1;
                    self.backquoted(parts, true)?;
                }
                _ => {
                    let start = self.at;
                    let rest = &self.text.as_bytes()[start..];
                    let ends = |b: &u8| matches!(b, b'\\' | b'$' | b'`') || *b == b'"' && !is_document;
                    self.at += rest.iter().position(ends).unwrap_or(rest.len());
                    push_text(parts, &self.text[start..self.at], true, Some(start));
                }
            }
        }
        if is_document { Ok(()) } else { self.unreadable("a `\"` has no end") }
    }

    /// Reads what follows a `$`.
    fn dollar(&mut self, parts: &mut Vec<Part>, place: Place) -> Reads<()> {
        let quoted = place != Place::Bare;
        match self.peek() {
            Some(b'(') => {
                if self.peek_at(1) == Some(b'(')
                    && let Some(inner) = self.try_arithmetic(2)?
                {
                    parts.push(Part::Arithmetic(inner));
                    return Ok(());
                }
                self.at += 1;
                let program = self.deeper(Self::substitution)?;
                parts.push(Part::Output { program, quoted });
            }
            Some(b'{') => {
                self.at += 1;
                let parameter = self.deeper(|reader| reader.parameter(place))?;
                parts.push(Part::Parameter { parameter: Box::new(parameter), quoted });
            }
            Some(b'[') => {
                self.at += 1;
                let inner = self.expression(b']')?;
                parts.push(Part::Arithmetic(inner));
            }
            Some(b'\'') if place == Place::Bare => {
                self.at += 1;
                let text = self.ansi()?;
                push_text(parts, &text, true, None);
            }
            Some(b'"') if place == Place::Bare => {
                self.at += 1;
                push_text(parts, "", true, None);
                self.quoted(parts, Place::Quoted)?;
            }
            Some(b) if b.is_ascii_alphabetic() || b == b'_' => {
                let name = self.name().to_owned();
                let parameter = Box::new(Parameter { name, ..Parameter::default() });
                parts.push(Part::Parameter { parameter, quoted });
            }
            Some(b @ (b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')) => {
                self.at += 1;
                let parameter = Box::new(Parameter { name: char::from(b).to_string(), ..Parameter::default() });
                parts.push(Part::Parameter { parameter, quoted });
            }
            _ => push_text(parts, "$", quoted, None),
        }
        Ok(())
    }

    fn name(&mut self) -> &str {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Reads the program of `$(…)` behind its `(`.
    fn substitution(&mut self) -> Reads<Program> {
        let program = self.program_until_parenthesis()?;
        self.at += 1;
        Ok(program)
    }

    /// Reads `((…))` if it is an arithmetic expression. Otherwise, it is a subshell in a substitution, and nothing is read.
    pub(super) fn try_arithmetic(&mut self, open: usize) -> Reads<Option<Vec<Part>>> {
        let start = self.at;
        self.at += open;
        let inner = self.deeper(|reader| reader.expression(b')'))?;
        if self.peek() == Some(b')') {
            self.at += 1;
            return Ok(Some(inner));
        }
        self.at = start;
        Ok(None)
    }

    /// Reads the index of `NAME[index]` behind its `[`.
    pub(super) fn index(&mut self) -> Reads<Vec<Part>> {
        self.expression(b']')
    }

    /// Reads the expansions of an arithmetic expression, and the byte that ends it.
    fn expression(&mut self, end: u8) -> Reads<Vec<Part>> {
        let mut parts = Vec::new();
        let mut open = 0_usize;
        loop {
            match self.peek() {
                None => return self.unreadable("an arithmetic expression has no end"),
                Some(byte) if byte == end && open == 0 => {
                    self.at += 1;
                    return Ok(parts);
                }
                Some(byte @ (b'(' | b'[')) => {
                    open += usize::from(byte == if end == b')' { b'(' } else { b'[' });
                    push_text(&mut parts, if byte == b'(' { "(" } else { "[" }, false, None);
                    self.at += 1;
                }
                Some(byte) if byte == end => {
                    open -= 1;
                    push_text(&mut parts, if end == b')' { ")" } else { "]" }, false, None);
                    self.at += 1;
                }
                Some(
                    b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b')' | b'{' | b'}' | b'~' | b'*' | b'?',
                ) => {
                    let at = self.at;
                    self.at += 1;
                    push_text(&mut parts, &self.text[at..self.at], false, Some(at));
                }
                Some(_) => self.piece(&mut parts)?,
            }
        }
    }

    /// Reads `${…}` behind its `{`.
    fn parameter(&mut self, place: Place) -> Reads<Parameter> {
        let mut parameter = Parameter::default();
        let is_length = self.peek() == Some(b'#')
            && self
                .peek_at(1)
                .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'@' | b'*' | b'?' | b'!'));
        if is_length {
            parameter.length = true;
            self.at += 1;
        }
        if self.peek() == Some(b'!') && self.peek_at(1).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
            parameter.indirect = true;
            self.at += 1;
        }
        let name = self.name().to_owned();
        parameter.name = if name.is_empty() {
            match self.next_char() {
                Some(c @ ('@' | '*' | '#' | '?' | '-' | '$' | '!')) => c.to_string(),
                _ => return self.unreadable("a `${` has no name"),
            }
        } else {
            name
        };
        if self.peek() == Some(b'[') {
            self.at += 1;
            let start = self.at;
            let parts = self.expression(b']')?;
            parameter.index = Some(Word { parts, span: start..self.at - 1 });
        }
        let start = self.at;
        while self.peek().is_some_and(|b| b":-=?+%#/^,@".contains(&b)) {
            self.at += 1;
        }
        self.text[start..self.at].clone_into(&mut parameter.operator);
        // `${x:1:2}` and `${x/a/b}` have two words.
        let separator = match parameter.operator.as_str() {
            ":" => Some(b':'),
            operator if operator.starts_with('/') => Some(b'/'),
            _ => None,
        };
        let mut start = self.at;
        let mut parts = Vec::new();
        loop {
            let Some(byte) = self.peek() else { return self.unreadable("a `${` has no `}`") };
            match byte {
                b'}' => break,
                byte if Some(byte) == separator => {
                    parameter.words.push(Word { parts: std::mem::take(&mut parts), span: start..self.at });
                    self.at += 1;
                    start = self.at;
                }
                b'\'' if place != Place::Bare => {
                    // Between double quotes, bash takes a `'` as a character in a default, and as a quote in a pattern.
                    if parameter.operator.starts_with(['%', '#', '/']) {
                        self.piece(&mut parts)?;
                    } else {
                        push_text(&mut parts, "'", true, None);
                        self.at += 1;
                    }
                }
                b'~' if parts.is_empty() => {
                    self.at += 1;
                    parts.push(Part::Tilde(String::new()));
                }
                byte if is_plain(byte) => {
                    let start = self.at;
                    let rest = &self.text.as_bytes()[start..];
                    let ends = |b: &u8| !is_plain(*b) || Some(*b) == separator;
                    self.at += rest.iter().position(ends).unwrap_or(rest.len());
                    push_text(&mut parts, &self.text[start..self.at], false, Some(start));
                }
                b'{' | b' ' | b'\t' | b'\n' | b'(' | b')' | b';' | b'&' | b'|' | b'<' | b'>' => {
                    push_text(&mut parts, &self.text[self.at..=self.at], false, Some(self.at));
                    self.at += 1;
                }
                _ => self.piece(&mut parts)?,
            }
        }
        if !parts.is_empty() || !parameter.words.is_empty() {
            parameter.words.push(Word { parts, span: start..self.at });
        }
        self.at += 1;
        Ok(parameter)
    }

    /// Reads a text between backquotes, and the program in it.
    fn backquoted(&mut self, parts: &mut Vec<Part>, quoted: bool) -> Reads<()> {
        let start = self.at;
        let mut text = String::new();
        loop {
            match self.next_char() {
                None => return self.unreadable("a backquote has no end"),
                Some('`') => break,
                Some('\\') => match self.next_char() {
                    None => return self.unreadable("a backquote has no end"),
                    Some(c @ ('$' | '`' | '\\')) => text.push(c),
                    Some('"') if quoted => text.push('"'),
                    Some(c) => text.extend(['\\', c]),
                },
                Some(c) => text.push(c),
            }
        }
        let program = self.deeper(|reader| {
            let mut inner = Reader { depth: reader.depth, words: reader.words, ..Reader::new(&text, reader.limits) };
            let program = inner.whole_text().map_err(|refusal| super::Refusal { at: start, ..refusal })?;
            reader.words = inner.words;
            Ok(program)
        })?;
        let program = program.at(start..self.at - 1);
        parts.push(Part::Output { program, quoted });
        Ok(())
    }

    /// Reads `$'…'` behind its quote.
    fn ansi(&mut self) -> Reads<String> {
        // A byte of a character may be written alone, so the text is bytes until its end.
        let mut bytes = Vec::new();
        loop {
            match self.next_char() {
                None => return self.unreadable("a `$'` has no end"),
                Some('\'') => {
                    return String::from_utf8(bytes)
                        .map_err(|_| ())
                        .and_then(|text| if mark::in_text(&text) { Err(()) } else { Ok(text) })
                        .or_else(|()| self.unreadable("a `$'` has bytes that do not form a character"));
                }
                Some('\\') => self.ansi_escape(&mut bytes)?,
                Some(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }

    fn ansi_escape(&mut self, bytes: &mut Vec<u8>) -> Reads<()> {
        let Some(c) = self.next_char() else { return self.unreadable("a `$'` has no end") };
        let value = match c {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            '\\' | '\'' | '"' | '?' => c as u32,
            '0'..='7' => {
                self.at -= 1;
                let byte = self.number(8, 3) & 0xFF;
                bytes.push(u8::try_from(byte).unwrap_or(0));
                return if byte == 0 { self.zero() } else { Ok(()) };
            }
            'x' | 'u' | 'U' => {
                let before = self.at;
                let value = self.number(
                    16,
                    if c == 'x' {
                        2
                    } else if c == 'u' {
                        4
                    } else {
                        8
                    },
                );
                if self.at == before {
                    bytes.push(b'\\');
                    c as u32
                } else if c == 'x' {
                    bytes.push(u8::try_from(value).unwrap_or(0));
                    return if value == 0 { self.zero() } else { Ok(()) };
                } else {
                    value
                }
            }
            'c' => match self.next_char() {
                Some(c) if c.is_ascii() => (c as u32) & 0x1F,
                _ => return self.unreadable("a `$'` has an escape without meaning"),
            },
            c => {
                bytes.push(b'\\');
                c as u32
            }
        };
        match char::from_u32(value) {
            Some('\0') => self.zero(),
            Some(c) if mark::is(c) => self.unreadable("a `$'` has an escape without meaning"),
            Some(c) => {
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                Ok(())
            }
            None => self.unreadable("a `$'` has an escape without meaning"),
        }
    }

    /// A zero byte ends the word for bash, with or without the rest of it.
    fn zero(&self) -> Reads<()> {
        self.unreadable("a `$'` has an escape without meaning")
    }

    fn number(&mut self, radix: u32, digits: usize) -> u32 {
        let mut value = 0_u32;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|b| char::from(b).to_digit(radix)) else { break };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        value
    }
}

/// The most words of `{1..N}`. A longer range is cut: its words differ only by their number.
const MOST_OF_A_RANGE: usize = 64;

/// Returns whether a `(` begins a pattern: it stands behind one of `?*+@!`.
fn is_extended_glob(parts: &[Part]) -> bool {
    match parts.last() {
        Some(Part::Glob(c)) => matches!(c, '*' | '?'),
        Some(Part::Text { text, quoted: false, .. }) => text.ends_with(['@', '+', '!']),
        _ => false,
    }
}

/// Returns whether a byte means itself, outside of quotes and inside of braces too.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b'+' | b'%' | b'^' | b'=')
}

/// Adds characters to a word. They join the last part if they stand directly behind it.
fn push_text(parts: &mut Vec<Part>, added: &str, added_quoted: bool, added_at: Option<usize>) {
    if let Some(Part::Text { text, quoted, at }) = parts.last_mut()
        && *quoted == added_quoted
    {
        let joins = match (*at, added_at) {
            (Some(at), Some(added_at)) => at + text.len() == added_at,
            _ => false,
        };
        if !joins && !text.is_empty() {
            *at = None;
        } else if text.is_empty() {
            *at = added_at;
        }
        text.push_str(added);
        return;
    }
    parts.push(Part::Text { text: added.to_owned(), quoted: added_quoted, at: added_at });
}
