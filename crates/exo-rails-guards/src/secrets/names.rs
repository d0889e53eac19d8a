//! What the name of a field says about its value.
//!
//! A name is a phrase. Its last word says what the value is: `token_id` is an id, and `auth v1.2.3 h1` is a hash. The word before `key` or
//! `token` says of what kind it is: a `cache_key` and a `public_key` are not secrets.

use crate::scan::Candidate;

/// Last words of names whose values are not secrets, for example the id or the path of a secret.
const OTHER_KINDS: &[&str] = &[
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "name",
    "type",
    "kind",
    "url",
    "uri",
    "href",
    "link",
    "path",
    "file",
    "dir",
    "folder",
    "count",
    "limit",
    "size",
    "length",
    "hash",
    "digest",
    "checksum",
    "integrity",
    "fingerprint",
    "etag",
    "sha",
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "md5",
    "h1",
    "zh",
    "version",
    "rev",
    "revision",
    "commit",
    "time",
    "date",
    "at",
    "in",
    "expiry",
    "ttl",
    "arn",
    "ref",
    "alg",
    "algorithm",
    "method",
    "endpoint",
    "host",
    "prefix",
    "header",
    "format",
    "status",
    "provider",
];

/// Words before `key` or `token` that say that it is not a secret: it is public, or it only finds something.
const NO_SECRETS: &[&str] = &[
    "public",
    "pub",
    "publishable",
    "site",
    "verify",
    "verifying",
    "cache",
    "object",
    "s3",
    "file",
    "blob",
    "query",
    "dedup",
    "dedupe",
    "idempotency",
    "partition",
    "sort",
    "shard",
    "row",
    "routing",
    "group",
    "hash",
    "lookup",
    "primary",
    "foreign",
    "page",
    "next",
    "continuation",
    "cancellation",
    "correlation",
    "sync",
    "restore",
    "translation",
    "redis",
    "ssh",
    "hit",
];

/// Returns whether a value after a general name, such as `api_key`, can be a secret.
pub(super) fn may_hold_a_secret(found: &Candidate<'_>) -> bool {
    let name = name(found);
    let words = words(&name);
    let last = words.iter().rev().find(|word| !is_number(word));
    if last.is_some_and(|last| OTHER_KINDS.contains(&last.as_str())) {
        return false;
    }
    let noun = words.iter().rposition(|word| matches!(word.as_str(), "key" | "token" | "keys" | "pubkey"));
    let is_known = |word: &String| NO_SECRETS.contains(&word.as_str());
    // In `public_api_key`, the word belongs to both.
    let before = &words[..noun.unwrap_or_default()];
    let describes =
        before.iter().rev().take_while(|word| matches!(word.as_str(), "key" | "api" | "token") || is_known(word));
    if describes.into_iter().any(is_known) || words.iter().any(|word| word == "pubkey") {
        return false;
    }
    let is_general = words.len() == 1 && noun == Some(0);
    let is_no_secret =
        is_public(found.value) || is_place(found.value) || is_readable(found.value, if is_general { 2 } else { 3 });
    !is_no_secret
}

/// Names of passwords that other words contain.
const SHORT: &[&str] = &["pass", "pw", "pwd", "psw", "mdp", "clave", "senha", "parola", "heslo", "haslo", "hasło"];

/// Returns whether a value after the name of a password, or in a sentence about one, can be a password.
pub(super) fn is_password(found: &Candidate<'_>) -> bool {
    let value = found.value.trim_end_matches(['.', '!', '?', ':', ')']);
    let named = found.whole.to_lowercase();
    let is_inside = found.before.chars().next_back().is_some_and(|before| {
        // A word also begins at a capital letter, as in `dbPass`.
        let begins = found.whole.starts_with(|first: char| first.is_uppercase()) && before.is_lowercase();
        before.is_alphabetic() && !begins && !(found.before.ends_with("PG") || found.before.ends_with("SSH"))
    });
    let is_short =
        SHORT.iter().any(|short| named.strip_prefix(short).is_some_and(|rest| !rest.starts_with(char::is_alphabetic)));
    if is_inside && is_short {
        return false;
    }
    let has = |is_it: fn(char) -> bool| value.contains(is_it);
    let (has_digit, has_letter) = (has(|letter| letter.is_ascii_digit()), has(char::is_alphabetic));
    let has_both_cases = has(char::is_lowercase) && has(char::is_uppercase);
    // A person may write a word, a version, a path, a date or the name of an algorithm there.
    let is_other = value.starts_with(['$', '%', '@', '&', '*', '/', '~', '.', '<', '{', '-', '!'])
        || value.contains("://")
        || value.contains("::")
        || value.contains('/')
        || is_written(value);
    let is_random = has_digit && (has_both_cases || has(|letter| letter.is_ascii_punctuation()) || value.len() > 7);
    has_letter && !is_other && (is_random || is_unpronounceable(value))
}

/// Returns whether letters without a digit change their case often, and few of them are vowels.
fn is_unpronounceable(value: &str) -> bool {
    let pieces = pieces(value).len();
    let vowels = value.bytes().filter(|byte| b"aeiouAEIOU".contains(byte)).count();
    value.bytes().all(|byte| byte.is_ascii_alphabetic())
        && pieces > 2
        && 4 * pieces >= value.len()
        && 4 * vowels <= value.len()
}

/// Returns the pieces of a text that begin at capital letters after small ones.
fn pieces(text: &str) -> Vec<&str> {
    let begins = text
        .char_indices()
        .zip(text.chars().skip(1))
        .filter(|((_, last), next)| last.is_lowercase() && next.is_uppercase());
    let mut ends: Vec<usize> = begins.map(|((at, last), _)| at + last.len_utf8()).collect();
    ends.push(text.len());
    let mut from = 0;
    ends.into_iter().map(|end| &text[std::mem::replace(&mut from, end)..end]).collect()
}

/// Returns whether each part of a value is a word, an abbreviation or a number, as in `SHA-256` and `test_login_2`.
fn is_written(value: &str) -> bool {
    let is_sign = |letter: char| matches!(letter, '-' | '_' | '.' | '/' | ':' | '(' | '=' | '+');
    value.split(is_sign).all(|part| {
        let letters = part.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let digits = part.len() - letters.len();
        let pieces = pieces(letters);
        let has_one_case = |piece: &&str| {
            let rest = piece.trim_start_matches(char::is_uppercase);
            rest.is_empty() || (piece.len() - rest.len() < 2 && !rest.contains(char::is_uppercase))
        };
        let is_word =
            pieces.iter().all(has_one_case) && (pieces.len() == 1 || pieces.iter().all(|piece| piece.len() > 2));
        let is_long = pieces.iter().any(|piece| piece.len() > 13);
        letters.is_empty() || (digits < 4 && is_word && !is_long && letters.chars().all(char::is_alphabetic))
    })
}

/// Returns the whole name of the field of a match. The match begins inside of it, such as at the `key` of `cache_key`.
fn name(found: &Candidate<'_>) -> String {
    let belongs = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    // A word before a space belongs to it if it says something about it, as in `cache key`.
    let line = found.before.rsplit(['\n', '"', '\'', '`', ':', '=', ',', '(', '{']).next().unwrap_or_default();
    let begun = line.trim_end_matches(' ');
    let mut length: usize = begun.chars().rev().take_while(belongs).map(char::len_utf8).sum();
    let mut gap = &line[begun.len()..];
    if !gap.is_empty() && !NO_SECRETS.contains(&begun[begun.len() - length..].to_ascii_lowercase().as_str()) {
        (length, gap) = (0, "");
    }
    let until = found.whole.find(['=', ':', '>', ',', '?', '"', '\'', '`']).unwrap_or(found.whole.len());
    format!("{}{gap}{}", &begun[begun.len() - length..], &found.whole[..until])
}

/// Returns the words of a name in lower case: `apiKey_id` has three.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            let begins = !last.is_ascii_alphanumeric() || (last.is_ascii_lowercase() && letter.is_ascii_uppercase());
            if begins {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.push(letter.to_ascii_lowercase());
            }
        }
        last = letter;
    }
    words
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a value says that it is public.
fn is_public(value: &str) -> bool {
    let begun = words(value);
    matches!(begun.first().map(String::as_str), Some("pk" | "pub" | "public" | "publishable" | "phc"))
        || begun.get(1).is_some_and(|word| word == "publishable")
}

/// Returns whether a value is the place of something: a path with an extension or with names, or the name of a resource.
fn is_place(value: &str) -> bool {
    let parts: Vec<&str> = value.split('/').collect();
    let has_extension = parts.last().and_then(|last| last.rsplit_once('.')).is_some_and(|(_, extension)| {
        (1..=8).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    value.starts_with("arn:")
        || value.starts_with("urn:")
        || (parts.len() > 2 && (has_extension || parts.iter().filter(|part| is_word(part)).count() > 1))
}

/// Returns whether a value has at least so many words, with signs between them, as a person writes them: `linux-cargo-…`.
pub(super) fn is_readable(value: &str, least: usize) -> bool {
    let is_sign = |letter: char| matches!(letter, '-' | '_' | '.' | '/' | ':' | '#' | '+');
    value.split(is_sign).filter(|part| is_word(part)).count() >= least
}

/// Returns whether a text is a word of letters that somebody can pronounce.
fn is_word(text: &str) -> bool {
    let text = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let rest = text.get(1..).unwrap_or_default();
    text.len() > 2
        && text.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (rest.bytes().all(|byte| byte.is_ascii_lowercase()) || text.bytes().all(|byte| byte.is_ascii_uppercase()))
        && text.bytes().any(|byte| b"aeiouyAEIOUY".contains(&byte))
}
