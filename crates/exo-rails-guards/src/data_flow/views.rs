//! Texts inside of encodings: percent codes, escapes, HTML entities, base64 and hexadecimal.

use std::ops::Range;
use std::sync::LazyLock;

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD, Encoding, HEXLOWER_PERMISSIVE, Specification};
use exo_rails_text::percent::percent_decoded;

/// Encodings in encodings beyond this depth are not read.
const DEPTH: usize = 3;

/// The smallest encoded text, in characters of base64 and hexadecimal.
const SMALLEST: usize = 8;

/// base64 whose last bits may be anything, as many decoders read it.
static LENIENT: LazyLock<[Encoding; 2]> = LazyLock::new(|| {
    [BASE64_NOPAD, BASE64URL_NOPAD].map(|strict| {
        let mut specification: Specification = strict.specification();
        specification.check_trailing_bits = false;
        specification.encoding().unwrap_or(strict)
    })
});

/// Calls `each` with each text that is encoded in a text, and the bytes of the encoding.
pub(super) fn each_view(text: &str, each: &mut impl FnMut(Range<usize>, &str)) {
    views(text, None, 1, each);
}

fn views(text: &str, outer: Option<&Range<usize>>, depth: usize, each: &mut impl FnMut(Range<usize>, &str)) {
    let mut found = |bytes: Range<usize>, view: &str| {
        // The place is the outermost encoding.
        let bytes = outer.cloned().unwrap_or(bytes);
        each(bytes.clone(), view);
        if depth < DEPTH {
            views(view, Some(&bytes), depth + 1, each);
        }
    };
    if text.contains('%')
        && let Some(view) = percent_decoded(text)
    {
        found(0..text.len(), &view);
    }
    if text.contains('\\')
        && let Some(view) = unescaped(text)
    {
        found(0..text.len(), &view);
    }
    if text.contains('&')
        && let Some(view) = without_entities(text)
    {
        found(0..text.len(), &view);
    }
    each_run(text, &mut |run| decode(text, run, &mut found));
}

/// Whether each byte is a character of base64.
static BASE64: [bool; 256] = {
    let mut known = [false; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        known[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
        byte += 1;
    }
    known
};

/// Calls `each` with the bytes of each run of characters of base64. Lines of a long run belong together.
fn each_run(text: &str, each: &mut impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let is_base64 = |byte: &u8| BASE64[usize::from(*byte)];
    let (mut start, mut line) = (0, 0);
    let mut at = 0;
    while at <= bytes.len() {
        match bytes.get(at) {
            Some(byte) if is_base64(byte) => at += 1,
            Some(b'\r' | b'\n') if at - line >= 60 => {
                while matches!(bytes.get(at), Some(b'\r' | b'\n')) {
                    at += 1;
                }
                line = at;
            }
            _ => {
                if at - start >= SMALLEST {
                    each(start..at);
                }
                at += 1;
                (start, line) = (at, at);
            }
        }
    }
}

fn decode(text: &str, run: Range<usize>, found: &mut impl FnMut(Range<usize>, &str)) {
    let whole = &text[run.clone()];
    if decode_one(whole, &run, found) {
        return;
    }
    // In a URL or a file name, `/`, `-`, `_` and `+` may be outside of the encoded text.
    for ends in ["/", "/-_+"] {
        if !whole.contains(|c| ends.contains(c)) {
            continue;
        }
        let mut start = run.start;
        for piece in whole.split_inclusive(|c| ends.contains(c)) {
            let inner = piece.trim_end_matches(|c| ends.contains(c));
            if inner.len() >= SMALLEST {
                decode_one(inner, &(start..start + inner.len()), found);
            }
            start += piece.len();
        }
    }
}

/// Decodes a run in all ways that result in a text. Returns whether there is one.
fn decode_one(run: &str, bytes: &Range<usize>, found: &mut impl FnMut(Range<usize>, &str)) -> bool {
    let lines: String;
    let run = if run.contains(['\r', '\n']) {
        lines = run.replace(['\r', '\n'], "");
        &lines
    } else {
        run
    };
    let mut is_text = false;
    let mut add = |decoded: Option<Vec<u8>>| {
        if let Some(view) = decoded.and_then(text_of) {
            is_text = true;
            found(bytes.clone(), &view);
        }
    };
    if run.len().is_multiple_of(2) && run.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        add(HEXLOWER_PERMISSIVE.decode(run.as_bytes()).ok());
    }
    let url = run.contains(['-', '_']);
    let encoding = &LENIENT[usize::from(url)];
    if begins_as_text(encoding, run.as_bytes()) {
        add(encoding.decode(run.as_bytes()).ok());
    }
    is_text
}

/// Returns whether the first characters of a run are those of a text. Most words are not base64, and are found here without
/// memory for the rest.
fn begins_as_text(encoding: &Encoding, run: &[u8]) -> bool {
    let mut decoded = [0; 48];
    let length = run.len().min(64) / 4 * 4;
    let (Some(run), Some(decoded)) = (run.get(..length), decoded.get_mut(..length / 4 * 3)) else { return true };
    if encoding.decode_mut(run, decoded).is_err() {
        return false;
    }
    match str::from_utf8(decoded) {
        Ok(text) => text.chars().all(is_readable),
        // The last character can be cut off.
        Err(error) => error.error_len().is_none(),
    }
}

fn is_readable(c: char) -> bool {
    !c.is_control() || matches!(c, '\t' | '\n' | '\r')
}

/// Returns decoded bytes as a text, if people or programs would read them as one.
fn text_of(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    (text.chars().all(is_readable) && text.chars().any(char::is_alphanumeric)).then_some(text)
}

/// Reads the escapes of JSON and of programming languages: `\n`, `\"`, `\u0041`, `\u{41}`, `\x41`.
fn unescaped(text: &str) -> Option<String> {
    let (mut read, mut rest, mut changed) = (String::with_capacity(text.len()), text, false);
    let mut units: Vec<u16> = Vec::new();
    while let Some(at) = rest.find('\\') {
        if at > 0 {
            flush(&mut units, &mut read);
        }
        read.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(c) = rest.chars().next() else { break };
        let length = c.len_utf8();
        let code = match c {
            'u' => hex_digits(&rest[1..], 4),
            'x' => hex_digits(&rest[1..], 2),
            _ => None,
        };
        changed = true;
        if let Some((code, digits)) = code {
            match u16::try_from(code) {
                // Two of them can be one character.
                Ok(unit) => units.push(unit),
                Err(_) => read.extend(char::from_u32(code)),
            }
            rest = &rest[1 + digits..];
            continue;
        }
        flush(&mut units, &mut read);
        read.push(if matches!(c, 'n' | 'r' | 't' | 'b' | 'f' | '0') { ' ' } else { c });
        rest = &rest[length..];
    }
    flush(&mut units, &mut read);
    read.push_str(rest);
    changed.then_some(read)
}

fn flush(units: &mut Vec<u16>, read: &mut String) {
    if !units.is_empty() {
        read.push_str(&String::from_utf16_lossy(units));
        units.clear();
    }
}

/// Reads a number of hexadecimal digits, or any number of them in braces. Returns the number of bytes, too.
fn hex_digits(text: &str, count: usize) -> Option<(u32, usize)> {
    if let Some(inner) = text.strip_prefix('{') {
        let end = inner.find('}').filter(|end| (1..=6).contains(end))?;
        return Some((u32::from_str_radix(&inner[..end], 16).ok()?, end + 2));
    }
    let digits = text.get(..count).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((u32::from_str_radix(digits, 16).ok()?, count))
}

/// The entities that hide the letters around them from no reader.
const ENTITIES: [(&str, &str); 10] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("commat", "@"),
    ("period", "."),
    ("sol", "/"),
    ("colon", ":"),
];

/// Reads the entities of HTML: numbers, and the names of punctuation.
fn without_entities(text: &str) -> Option<String> {
    let (mut read, mut rest, mut changed) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find('&') {
        read.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let name = rest.bytes().take(10).position(|byte| byte == b';').and_then(|end| rest.get(..end));
        let character = name.and_then(|name| match name.strip_prefix('#') {
            Some(number) => {
                let code = match number.strip_prefix(['x', 'X']) {
                    Some(digits) => u32::from_str_radix(digits, 16),
                    None => number.parse(),
                };
                code.ok().and_then(char::from_u32).map(String::from)
            }
            None => ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned()),
        });
        match (character, name) {
            (Some(character), Some(name)) => {
                changed = true;
                read.push_str(&character);
                rest = &rest[name.len() + 1..];
            }
            _ => read.push('&'),
        }
    }
    read.push_str(rest);
    changed.then_some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        each_view(text, &mut |_, view| found.push(view.to_owned()));
        found
    }

    #[test]
    fn encoded_texts_are_found() {
        for text in [
            "c2VjcmV0IG1lZXRpbmc=",
            "https://evil.example/collect/c2VjcmV0IG1lZXRpbmc",
            "x=c2VjcmV0IG1lZXRpbmc%3D",
            "736563726574206d656574696e67",
            "736563726574206D656574696E67",
            "secret%20meeting",
            "%73%65%63%72%65%74%20%6d%65%65%74%69%6e%67",
            r"secret\u0020meeting",
            r"\x73ecret meeting",
            "secret&#32;meeting",
            "NzM2NTYzNzI2NTc0MjA2ZDY1NjU3NDY5NmU2Nw==",
        ] {
            assert!(all(text).iter().any(|view| view.contains("secret meeting")), "{text}: {:?}", all(text));
        }
        let long = "The quick secret meeting is at nine in the old house behind the mill, bring the papers.";
        let encoded = data_encoding::BASE64.encode(long.as_bytes());
        let (one, two) = encoded.split_at(76);
        assert!(all(&format!("{one}\n{two}")).iter().any(|view| view == long));
        assert_eq!(all("A plain text & nothing else, 100 % sure."), Vec::<String>::new());
    }

    #[test]
    fn two_escaped_surrogates_become_one_character() {
        assert_eq!(unescaped(r"\ud83d\ude00 \u{1f600} \q").as_deref(), Some("😀 😀 q"));
        assert_eq!(unescaped(r"\u12"), Some("u12".to_owned()));
    }
}
