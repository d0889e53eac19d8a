//! Tokens with a prefix that names a service or a kind of key, such as `sk_…`. Many services have such a form, so the form is the rule.

use super::names::words;
use crate::scan::{Candidate, Start};

/// The fewest letters after the prefix.
const FEWEST: usize = 20;

/// The fewest letters of both cases, with digits, after any prefix.
const RANDOM: usize = 32;

/// The fewest letters of one case after a prefix that says that a key follows.
const ONE_CASE: usize = 24;

/// The fewest letters of one case, with digits, after any prefix. They are no hash.
const LONG: usize = 40;

/// Words of prefixes that say that a secret key follows.
const SECRET: &[&str] = &["sk", "csk", "rk", "pat", "pt", "secret", "token", "live", "api"];

/// Words of prefixes before something else: a hash, a public key, or a number that a page may have.
const OTHER: &[&str] = &[
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "md5",
    "integrity",
    "pk",
    "pub",
    "public",
    "publishable",
    "phc",
    "nonce",
    "cs",
];

/// Returns the next sign after a word that so many letters follow.
pub(super) fn start(text: &str, from: usize) -> Start {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(sign) = bytes[at..].iter().position(|byte| matches!(byte, b'-' | b'_')).map(|found| at + found) {
        at = sign + 1;
        if sign == 0 || !bytes[sign - 1].is_ascii_alphanumeric() {
            continue;
        }
        let letters = bytes[at..].iter().take(FEWEST).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        // A UUID has a sign after eight letters.
        if letters == FEWEST || (letters == 8 && bytes.get(at + 8) == Some(&b'-')) {
            return Start::At(sign);
        }
        if at + letters == bytes.len() {
            return Start::Short(sign);
        }
    }
    Start::None
}

/// Returns whether the letters are a token, from the prefix and from the letters themselves.
pub(super) fn is_token(found: &Candidate<'_>) -> bool {
    let is_prefix = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let length = found.before.chars().rev().take_while(is_prefix).count();
    let prefix = &found.before[found.before.len() - length..];
    let parts = prefix.split(['-', '_']);
    // Random letters with signs between them are no prefix.
    let is_named = |part: &str| {
        part.len() <= 10
            && part.bytes().any(|byte| byte.is_ascii_alphabetic())
            && !(part.bytes().any(|byte| byte.is_ascii_lowercase())
                && part.bytes().any(|byte| byte.is_ascii_uppercase()))
    };
    // A service may write a short number of the key after its name.
    let is_number = |part: &str| part.len() <= 6;
    let mut rest = parts.clone().skip(1);
    let is_named = parts.clone().next().is_some_and(is_named) && rest.all(|part| is_named(part) || is_number(part));
    if length > 24 || !prefix.ends_with(|letter: char| letter.is_ascii_alphanumeric()) || !is_named {
        return false;
    }
    let prefix = words(prefix);
    let has = |list: &[&str]| prefix.iter().any(|word| list.contains(&word.as_str()));
    if has(OTHER) {
        return false;
    }
    let letters = found.value.split(['-', '_']).next().unwrap_or_default();
    if letters.len() < FEWEST {
        return has(SECRET);
    }
    let has_some = |is_it: fn(&u8) -> bool| letters.bytes().any(|byte| is_it(&byte));
    let is_mixed = has_some(u8::is_ascii_lowercase) && has_some(u8::is_ascii_uppercase);
    has_some(u8::is_ascii_digit)
        && if is_mixed {
            letters.len() >= RANDOM || has(SECRET)
        } else {
            // A name of a file may have `api` before a hash.
            let is_hash = letters.bytes().all(|byte| byte.is_ascii_hexdigit());
            (letters.len() >= LONG && !is_hash)
                || (letters.len() >= ONE_CASE && has(SECRET) && prefix.iter().any(|word| word != "api"))
        }
}
