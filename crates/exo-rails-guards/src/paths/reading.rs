//! The ways in which a tool could read a path: as it is, and decoded.
//!
//! A path is safe only if it is safe in every reading. So a name with `%2e` or with a wide dot is no problem in itself: it is
//! refused only if a decoded form leads outside, or has a denied name.

use std::borrow::Cow;

use exo_rails_text::codes::{self, number, percent_byte};
use exo_rails_text::reading::Reading;

use super::characters::{has_invisible, without_look_alikes};
use super::{Names, PathRule};

/// The longest path in bytes, and the longest name in it. Linux has the same limits.
const LONGEST_PATH: usize = 4096;
const LONGEST_NAME: usize = 255;
/// The number of times that a path is decoded. Nobody encodes a path more often without an intention.
const ROUNDS: usize = 4;

/// What a program decodes.
#[derive(Clone, Copy)]
struct Decoder {
    /// Whether it makes something of escapes that are not valid, such as `%qf`.
    is_careless: bool,
    /// Whether it decodes `0x2f`.
    hex: bool,
    /// Whether it replaces characters by those that they look like.
    look_alikes: bool,
}

/// Returns the readings of a path. The first one is the text itself.
///
/// Each program decodes something else, and each of them as often as it likes. A further separator can hide that a path
/// leads outside (`a%2fb\..\..`), so the reading that decodes the most is not enough.
pub(super) fn readings(text: &str, names: Names) -> Result<Vec<String>, PathRule> {
    check(text, names)?;
    let mut readings = vec![text.to_owned()];
    if names == Names::Unix {
        return Ok(readings);
    }
    let mut decoded_texts = vec![text.to_owned()];
    if may_be_encoded(text) {
        for options in 0..8_u8 {
            let [is_careless, hex, look_alikes] = [1, 2, 4].map(|bit| options & bit != 0);
            decode_all(text, Decoder { is_careless, hex, look_alikes }, &mut decoded_texts)?;
        }
    }
    without_codes(text, &mut decoded_texts);
    for decoded in &decoded_texts {
        for reading in [decoded.clone(), decoded.replace('\\', "/"), decoded.replace('\\', "")] {
            let reading = simplified(&reading);
            if !readings.contains(&reading) {
                check(&reading, names)?;
                readings.push(reading);
            }
        }
    }
    Ok(readings)
}

/// Adds the path without escapes and character references, also those in each other. A backslash is a separator for some programs, so
/// what becomes a control character is not an escape.
fn without_codes(text: &str, texts: &mut Vec<String>) {
    let mut last = Cow::Borrowed(text);
    for _ in 0..ROUNDS {
        let Some(next) = codes::decoded(&last, true).map(Reading::into_text) else { return };
        if next.chars().any(char::is_control) {
            return;
        }
        if !texts.contains(&next) {
            texts.push(next.clone());
        }
        last = Cow::Owned(next);
    }
}

/// Tells whether a decoder may change a path. Most paths have nothing to decode, and each decoder makes copies.
fn may_be_encoded(text: &str) -> bool {
    !text.is_ascii() || text.contains('%') || text.as_bytes().windows(2).any(|pair| matches!(pair, b"0x" | b"0X"))
}

/// Decodes a path until nothing changes, and adds each new text.
fn decode_all(text: &str, decoder: Decoder, texts: &mut Vec<String>) -> Result<(), PathRule> {
    let mut last = text.to_owned();
    for _ in 0..=ROUNDS {
        let next = decoded(&last, decoder)?;
        if next == last {
            return Ok(());
        }
        if !texts.contains(&next) {
            texts.push(next.clone());
        }
        last = next;
    }
    Err(PathRule::Encoding)
}

/// Checks the characters and the names of a path.
fn check(text: &str, names: Names) -> Result<(), PathRule> {
    if text.len() > LONGEST_PATH || names_of(text).any(|name| name.len() > LONGEST_NAME) {
        return Err(PathRule::TooLong);
    }
    if text.chars().any(char::is_control) {
        return Err(PathRule::ControlCharacter);
    }
    if has_invisible(text) {
        return Err(PathRule::InvisibleCharacter);
    }
    check_start(text.trim_start())?;
    if names == Names::Unix {
        return Ok(());
    }
    names_of(text).try_for_each(|name| check_name(name, names))
}

/// Returns the names in a path.
fn names_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(['/', '\\']).filter(|name| !name.is_empty())
}

/// Checks the start of a path: some tools replace it before they open the path.
fn check_start(text: &str) -> Result<(), PathRule> {
    let first = text.split(['/', '\\']).next().unwrap_or_default();
    if first == "~"
        || first
            .strip_prefix('~')
            .is_some_and(|user| user.starts_with(|c: char| c.is_alphanumeric() || "_+-".contains(c)))
    {
        return Err(PathRule::Home);
    }
    if is_variable(first) {
        return Err(PathRule::Variable);
    }
    let Some((scheme, rest)) = text.split_once(':') else { return Ok(()) };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    match scheme.len() {
        1 if is_scheme && !cfg!(windows) => Err(PathRule::Drive),
        2.. if is_scheme && (rest.starts_with(['/', '\\']) || READS_FILES.contains(&&*scheme.to_ascii_lowercase())) => {
            Err(PathRule::Scheme)
        }
        _ => Ok(()),
    }
}

/// Schemes that need no slash.
const READS_FILES: [&str; 8] = ["data", "file", "glob", "jar", "netdoc", "phar", "php", "url"];

/// Tells whether a name begins with a variable of a shell.
fn is_variable(name: &str) -> bool {
    if let Some(rest) = name.strip_prefix('$') {
        // `$id.tsx` is a usual name in some frameworks for websites, and `$HOME` is not.
        let word: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        return rest.starts_with(['{', '(']) || (!word.is_empty() && word == rest && word == word.to_uppercase());
    }
    let inside = name.strip_prefix('%').and_then(|rest| rest.split_once('%'));
    inside.is_some_and(|(word, _)| word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || "_()".contains(c)))
        || name.starts_with('`')
}

/// Checks one name for meanings that it has on other systems.
fn check_name(name: &str, names: Names) -> Result<(), PathRule> {
    if name != "." && name != ".." && name.chars().all(|c| c == '.' || c == ' ') && name.contains('.') {
        return Err(PathRule::Dots);
    }
    let is_stream = name.contains("::") || name.contains(":$");
    if is_stream || (names == Names::Windows && is_windows_name(name)) {
        return Err(PathRule::WindowsName);
    }
    Ok(())
}

/// Tells whether Windows does not use a name as it is.
fn is_windows_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_device = matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || stem.strip_prefix("COM").or(stem.strip_prefix("LPT")).is_some_and(|port| {
            matches!(port, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        });
    let is_short = stem.rsplit_once('~').is_some_and(|(start, number)| {
        !start.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let is_drive = name.len() == 2 && name.ends_with(':');
    let ends = name != "." && name != ".." && name.ends_with(['.', ' ']);
    is_device || is_short || ends || name.contains(['<', '>', '"', '|', '?', '*']) || (name.contains(':') && !is_drive)
}

/// Decodes a path once.
fn decoded(text: &str, program: Decoder) -> Result<String, PathRule> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let careless = || program.is_careless.then(|| careless_escape(rest.as_bytes(), bytes.is_empty())).flatten();
        let hex = || program.hex.then(|| hex_escape(rest.as_bytes())).flatten();
        let (replacement, length) =
            percent_escape(rest.as_bytes()).or_else(careless).or_else(hex).unwrap_or_else(|| {
                let length = first.len_utf8();
                (rest.as_bytes()[..length].to_vec(), length)
            });
        bytes.extend(replacement);
        rest = &rest[length..];
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if is_overlong(error.as_bytes()) => return Err(PathRule::Encoding),
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    Ok(if program.look_alikes { without_look_alikes(&text) } else { text })
}

/// The bytes that an escape stands for, and the length of the escape.
type Escape = Option<(Vec<u8>, usize)>;

/// Reads `%2f` or `%u002f` at the start of a text.
fn percent_escape(text: &[u8]) -> Escape {
    match text {
        [b'%', b'u' | b'U', digits @ ..] => {
            let character = char::from_u32(number(digits.get(..4)?)?)?;
            Some((character.to_string().into_bytes(), 6))
        }
        _ => Some((vec![percent_byte(text)?], 3)),
    }
}

/// Reads an escape that is not valid as decoders do that do not check their input. `is_start` is true at the start of the
/// path.
fn careless_escape(text: &[u8], is_start: bool) -> Escape {
    match text {
        // What remains of `%%32%%65` after the first round.
        [b'%', a, b'%', b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
            Some((vec![u8::try_from(number(&[*a, *b])?).ok()?], 4))
        }
        [b'%', a, b, ..] if !is_start && a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric() => {
            Some((b"/".to_vec(), 3))
        }
        _ => None,
    }
}

/// Reads `0x2e`, `0x2f` or `0x5c` at the start of a text.
fn hex_escape(text: &[u8]) -> Escape {
    let [b'0', b'x' | b'X', digits @ ..] = text else { return None };
    let byte = u8::try_from(number(digits.get(..2)?)?).ok()?;
    matches!(byte, b'.' | b'/' | b'\\').then(|| (vec![byte], 4))
}

/// Tells whether bytes have UTF-8 that is longer than necessary, or bytes that UTF-8 never has.
fn is_overlong(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| matches!(byte, 0xC0 | 0xC1 | 0xF5..))
        || bytes.windows(2).any(|pair| matches!(pair, [0xE0, 0x80..=0x9F] | [0xF0, 0x80..=0x8F]))
}

/// Writes a decoded path as the most careless reader takes it: wildcards match dots, and parameters and spaces after dots
/// do not count.
fn simplified(path: &str) -> String {
    if !path.contains(|c: char| matches!(c, ';' | '?') || c.is_whitespace()) {
        return path.to_owned();
    }
    let name = |name: &str| {
        let bare = name.split(';').next().unwrap_or_default().trim();
        match bare {
            ".?" | "?." | "??" => "..".to_owned(),
            "." | ".." => bare.to_owned(),
            _ => name.to_owned(),
        }
    };
    path.split('/').map(name).collect::<Vec<_>>().join("/")
}
