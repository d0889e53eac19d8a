//! Texts inside of texts: what a text says once its codes are read, and what is encoded in it as base64 or hexadecimal.

use std::ops::Range;
use std::sync::LazyLock;

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD, Encoding, HEXLOWER_PERMISSIVE, Specification};

use crate::look::decoded;

/// The smallest encoded text, in characters of base64 and hexadecimal.
const SMALLEST: usize = 8;

/// The shortest line of base64 that may go on in the next line.
const SHORTEST_LINE: usize = 16;

/// base64 whose last bits may be anything, as many decoders read it.
static LENIENT: LazyLock<[Encoding; 2]> = LazyLock::new(|| {
    [BASE64_NOPAD, BASE64URL_NOPAD].map(|strict| {
        let mut specification: Specification = strict.specification();
        specification.check_trailing_bits = false;
        specification.encoding().unwrap_or(strict)
    })
});

/// Calls `each` with every text inside of a text, and the bytes in which it is encoded.
///
/// A text with codes has one view: the whole text without them. Each run of base64 or hexadecimal that is a text has one, too. Views are
/// read again, up to `depth` levels. The bytes are always those of the outermost encoding. Words that happen to be base64 and decode to a
/// text are views as well, so a search in views needs a pattern that is more than a few letters.
///
/// ```
/// use exo_rails_text::views::each_view;
///
/// let mut views = Vec::new();
/// let text = "run aWdub3JlIHRoaXM= now";
/// each_view(text, 3, &mut |bytes, view| views.push((text[bytes].to_owned(), view.to_owned())));
/// assert_eq!(views, [("aWdub3JlIHRoaXM".to_owned(), "ignore this".to_owned())]);
/// ```
pub fn each_view(text: &str, depth: usize, each: &mut dyn FnMut(Range<usize>, &str)) {
    views(text, None, depth, each);
}

fn views(text: &str, outer: Option<&Range<usize>>, depth: usize, each: &mut dyn FnMut(Range<usize>, &str)) {
    if depth == 0 {
        return;
    }
    let mut found = |bytes: Range<usize>, view: &str| {
        let bytes = outer.cloned().unwrap_or(bytes);
        each(bytes.clone(), view);
        views(view, Some(&bytes), depth - 1, each);
    };
    for reading in decoded(text) {
        found(0..text.len(), reading.text());
    }
    each_run(text, &mut |lines| decode(text, lines, &mut found));
}

/// Whether each byte is a character of base64, with either alphabet (RFC 4648).
static BASE64: [bool; 256] = {
    let mut known = [false; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        known[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
        byte += 1;
    }
    known
};

/// Calls `each` with the lines of each run of characters of base64.
fn each_run(text: &str, each: &mut impl FnMut(&[Range<usize>])) {
    let bytes = text.as_bytes();
    let is_base64 = |at: usize| bytes.get(at).is_some_and(|byte| BASE64[usize::from(*byte)]);
    let (mut at, mut lines) = (0, Vec::new());
    while at < bytes.len() {
        if !is_base64(at) {
            at += 1;
            continue;
        }
        lines.clear();
        loop {
            let start = at;
            while is_base64(at) {
                at += 1;
            }
            lines.push(start..at);
            match next_line(bytes, at).filter(|next| at - start >= SHORTEST_LINE && is_base64(*next)) {
                Some(next) => at = next,
                None => break,
            }
        }
        if at - lines[0].start >= SMALLEST {
            each(&lines);
        }
    }
}

/// Returns the beginning of the next line, without its indentation.
fn next_line(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    let breaks = rest.iter().take(8).take_while(|byte| byte.is_ascii_whitespace()).count();
    rest[..breaks].contains(&b'\n').then_some(at + breaks)
}

fn decode(text: &str, lines: &[Range<usize>], found: &mut impl FnMut(Range<usize>, &str)) {
    let whole = lines[0].start..lines[lines.len() - 1].end;
    if lines.len() > 1 {
        let joined: String = lines.iter().map(|line| &text[line.clone()]).collect();
        if decode_one(&joined, &whole, found) {
            return;
        }
    }
    for line in lines {
        decode_line(text, line, found);
    }
}

fn decode_line(text: &str, line: &Range<usize>, found: &mut impl FnMut(Range<usize>, &str)) {
    let whole = &text[line.clone()];
    if whole.len() < SMALLEST || decode_one(whole, line, found) {
        return;
    }
    // In a URL or a file name, `/`, `-`, `_` and `+` may be outside of the encoded text.
    for ends in ["/", "/-_+"] {
        if !whole.contains(|c| ends.contains(c)) {
            continue;
        }
        let mut start = line.start;
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
    let encoding = &LENIENT[usize::from(run.contains(['-', '_']))];
    // A single character at the end has no whole byte.
    let whole = if run.len() % 4 == 1 { &run[..run.len() - 1] } else { run };
    if begins_as_text(encoding, whole.as_bytes()) {
        add(encoding.decode(whole.as_bytes()).ok());
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

/// Returns decoded bytes as a text, if people or programs would read them as one. The last character may be cut.
fn text_of(mut bytes: Vec<u8>) -> Option<String> {
    if let Err(error) = str::from_utf8(&bytes) {
        if error.error_len().is_some() {
            return None;
        }
        bytes.truncate(error.valid_up_to());
    }
    let text = String::from_utf8(bytes).ok()?;
    (text.chars().all(is_readable) && text.chars().any(char::is_alphanumeric)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        each_view(text, 3, &mut |bytes, view| {
            assert!(text.get(bytes.clone()).is_some(), "{text} {bytes:?}");
            all.push(view.to_owned());
        });
        all
    }

    #[test]
    fn a_text_is_read_in_every_encoding() {
        for text in [
            "secret%20meeting",
            r"secret\u0020meeting",
            "secret&#32;meeting",
            "secret&nbsp;meeting",
            "c2VjcmV0IG1lZXRpbmc=",
            "c2VjcmV0IG1lZXRpbmc",
            "data:c2VjcmV0IG1lZXRpbmc=,x",
            "/files/c2VjcmV0IG1lZXRpbmc/x",
            "736563726574206d656574696e67",
            "736563726574206D656574696E67",
            "c2VjcmV0JTIwbWVldGluZw==",
            "NzM2NTYzNzI2NTc0MjA2ZDY1NjU3NDY5NmU2Nw==",
            "c2VjcmV0IG1lZXRp\n  bmc=",
            "secret%2520meeting",
        ] {
            let found = all(text).iter().any(|view| view.replace('\u{a0}', " ").contains("secret meeting"));
            assert!(found, "{text}: {:?}", all(text));
        }
        let long = "The quick secret meeting is at nine in the old house behind the mill, bring the papers.";
        let encoded = data_encoding::BASE64.encode(long.as_bytes());
        let (one, two) = encoded.split_at(76);
        assert!(all(&format!("{one}\r\n{two}")).iter().any(|view| view == long));
        // Something else may stand in the lines around.
        assert!(all(&format!("-----BEGIN-----\n{encoded}\n-----END-----")).iter().any(|view| view == long));
        // The end is cut.
        let cut = &encoded[..encoded.len() - 7];
        assert!(all(cut).iter().any(|view| long.starts_with(view) && view.len() > 70), "{:?}", all(cut));
    }

    #[test]
    fn a_plain_text_has_no_view() {
        for text in
            ["A plain text & nothing else, 100 % sure.", "internationalization of everything", "3f7a9c", "", "\\"]
        {
            assert_eq!(all(text), Vec::<String>::new(), "{text}");
        }
    }
}
