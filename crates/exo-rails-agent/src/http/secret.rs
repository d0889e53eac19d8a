//! Keys, and texts of servers without the keys.
//!
//! A server may repeat a key in its error message: cut, escaped, in upper case, or without its beginning. So this module
//! does not search a text for the whole key. It searches for any eight consecutive characters of the key.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use data_encoding::BASE64_NOPAD;
use exo_rails::OperationError;
use exo_rails_text::codes::decoded;
use exo_rails_text::reading::Reading;
use reqwest::Url;

/// A text that `Debug` does not show.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text, to send it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

/// No text shows this number of consecutive characters of a secret.
const PART: usize = 8;

/// A shorter text is not a key: too many words and numbers contain it.
const SHORTEST: usize = 3;

/// The number of characters of a text that are searched. Later characters are not shown.
const LONGEST_SEARCHED: usize = 64 * 1024;

/// The number of characters of an error that are shown.
const LONGEST_MESSAGE: usize = 1_000;

/// The number of levels of escapes that are searched, for JSON in JSON and similar texts.
const ESCAPED: usize = 3;

/// The secrets that no error shows.
#[derive(Default)]
pub(crate) struct Secrets {
    /// The parts of long secrets: all sequences of [`PART`] characters.
    parts: HashSet<Box<[char]>>,
    /// Secrets that are too short for parts. They are hidden only as whole words.
    words: Vec<Box<[char]>>,
}

impl Secrets {
    /// Adds a key of any form.
    pub(crate) fn add(&mut self, secret: &str) {
        let chars: Vec<char> = secret.trim().chars().map(folded).collect();
        match chars.len() {
            0..SHORTEST => {}
            SHORTEST..PART => self.words.push(chars.into()),
            _ => self.parts.extend(chars.windows(PART).map(Box::from)),
        }
    }

    /// Adds the value of a header: a key, or a sentence that contains one.
    pub(crate) fn add_header(&mut self, value: &str) {
        let words: Vec<_> = value.split(|char: char| char.is_whitespace() || ",;=\"".contains(char)).collect();
        let is_sentence = words.len() > 1;
        let is_word = |word: &str| word.len() < PART && word.chars().all(char::is_alphabetic);
        words.into_iter().filter(|word| !(is_sentence && is_word(word))).for_each(|word| self.add(word));
    }

    /// Adds the parts of a URL that may be a key: the user, the password, and the values of the query.
    pub(crate) fn add_url(&mut self, url: &Url) {
        let (user, password) = (url_decoded(url.username()), url_decoded(url.password().unwrap_or_default()));
        if !user.is_empty() || !password.is_empty() {
            // The client sends them in this form.
            self.add(&BASE64_NOPAD.encode(format!("{user}:{password}").as_bytes()));
        }
        for part in [user, password] {
            self.add(&part);
        }
        for (name, value) in url.query_pairs() {
            // The key may be the whole parameter, without a name.
            self.add(if value.is_empty() { &name } else { &value });
        }
    }

    /// Returns the error without the secrets. A long message is cut.
    pub(crate) fn hide(&self, mut error: OperationError) -> OperationError {
        let (mut message, _) = self.cleaned(&error.message);
        if let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
            message.truncate(end);
            message.push('…');
        }
        error.message = message;
        error.source = error.source.filter(|source| !self.cleaned(&format!("{source} {source:?}")).1);
        error
    }

    /// Returns the text without the secrets, and whether it contained one.
    fn cleaned(&self, text: &str) -> (String, bool) {
        let text = text.char_indices().nth(LONGEST_SEARCHED).map_or(text, |(end, _)| &text[..end]);
        let mut hidden = vec![false; text.len()];
        let mut readings: Vec<Reading> = Vec::new();
        loop {
            let current = readings.last().map_or(text, Reading::text);
            self.each_in(current, &mut |found| {
                let bytes = readings.iter().rev().fold(found, |bytes, reading| reading.in_source(&bytes));
                hidden[bytes].fill(true);
            });
            match decoded(current, true).filter(|_| readings.len() < ESCAPED) {
                Some(reading) => readings.push(reading),
                None => break,
            }
        }
        let mut clean = String::with_capacity(text.len());
        for (at, char) in text.char_indices() {
            match (hidden[at], at > 0 && hidden[at - 1]) {
                (false, _) => clean.push(char),
                (true, false) => clean.push_str("[key]"),
                (true, true) => {}
            }
        }
        (clean, hidden.contains(&true))
    }

    /// Calls `each` with the bytes of each secret, or part of one, in a text.
    fn each_in(&self, text: &str, each: &mut impl FnMut(Range<usize>)) {
        let (starts, chars): (Vec<usize>, Vec<char>) = text.char_indices().map(|(at, char)| (at, folded(char))).unzip();
        let start = |at: usize| starts.get(at).copied().unwrap_or(text.len());
        for (at, part) in chars.windows(PART).enumerate() {
            if self.parts.contains(part) {
                each(start(at)..start(at + PART));
            }
        }
        let ends_word = |at: Option<usize>| !at.and_then(|at| chars.get(at)).is_some_and(|char| char.is_alphanumeric());
        for word in &self.words {
            for (at, _) in chars.windows(word.len()).enumerate().filter(|(_, part)| *part == &**word) {
                if ends_word(at.checked_sub(1)) && ends_word(Some(at + word.len())) {
                    each(start(at)..start(at + word.len()));
                }
            }
        }
    }
}

/// Returns a character that is the same for all forms of `char`: upper case, or a space that became `+` in a query.
fn folded(char: char) -> char {
    if char == '+' { ' ' } else { char.to_lowercase().next().unwrap_or(char) }
}

/// Decodes a part of a URL.
fn url_decoded(part: &str) -> String {
    let pairs = format!("a={}", part.replace('+', "%2B").replace('&', "%26"));
    Url::parse("http://localhost")
        .map(|mut url| {
            url.set_query(Some(&pairs));
            url.query_pairs().next().map_or_else(String::new, |(_, value)| value.into_owned())
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use data_encoding::BASE64_NOPAD;
    use exo_rails::{OperationError, OperationErrorKind};
    use reqwest::Url;

    use super::{Secret, Secrets};

    const KEY: &str = "sk-proj/Q7x+4711\"aBcDeFgH_ü%Zz9";

    fn clean(secrets: &Secrets, text: &str) -> String {
        secrets.hide(OperationError::new(OperationErrorKind::Denied, text)).message
    }

    fn escaped(form: impl Fn(char) -> String) -> String {
        KEY.chars().map(form).collect()
    }

    #[test]
    fn eight_characters_of_a_key_are_hidden_in_every_form() {
        let mut secrets = Secrets::default();
        secrets.add(KEY);
        let json = serde_json::to_string(KEY).unwrap_or_default();
        let forms = [
            KEY.to_owned(),
            KEY.to_uppercase(),
            json.clone(),
            serde_json::to_string(&json).unwrap_or_default(),
            format!("{:?}", format!("{json:?}")),
            escaped(|char| format!("\\u{:04x}", u32::from(char))),
            escaped(|char| format!("\\u{:04X}", u32::from(char))),
            escaped(|char| format!("\\\\u{:04x}", u32::from(char))),
            escaped(|char| format!("\\u{{{:x}}}", u32::from(char))),
            escaped(|char| if char.is_ascii() { format!("%{:02X}", u32::from(char)) } else { char.to_string() }),
            escaped(|char| format!("&#{};", u32::from(char))),
            escaped(|char| format!("&#x{:X};", u32::from(char))),
            KEY.replace('"', "&quot;").replace('/', "\\/"),
        ];
        for form in forms {
            let told = clean(&secrets, &format!("wrong key: {form}!")).replace(['"', '\\'], "");
            assert_eq!(told, "wrong key: [key]!", "{form}");
        }
        let chars: Vec<char> = KEY.chars().collect();
        for part in chars.windows(8) {
            let part: String = part.iter().collect();
            assert_eq!(clean(&secrets, &format!("wrong: …{part}…")), "wrong: …[key]…");
        }
        let beyond = format!("{}{KEY}", "x".repeat(64 * 1024 - 20));
        assert!(!clean(&secrets, &beyond).contains("sk-proj/"));
        assert_eq!(clean(&secrets, "the project has no quota"), "the project has no quota");
    }

    #[test]
    fn a_short_key_is_hidden_as_a_word() {
        let mut secrets = Secrets::default();
        secrets.add("hunter2");
        assert_eq!(clean(&secrets, "no: Hunter2, hunter22, \"hunter2\""), "no: [key], hunter22, \"[key]\"");
        secrets.add("a");
        assert_eq!(clean(&secrets, "a word"), "a word");
    }

    #[test]
    fn a_header_that_is_a_sentence_hides_no_words() {
        let mut secrets = Secrets::default();
        secrets.add_header("support agent");
        secrets.add_header("Token 47114711-x; realm=\"abc123\"");
        assert_eq!(clean(&secrets, "support: no Token 47114711-x of abc123"), "support: no Token [key] of [key]");
    }

    #[test]
    fn keys_in_an_address_are_hidden_in_every_encoding() -> Result<(), Box<dyn std::error::Error>> {
        let mut secrets = Secrets::default();
        let url = Url::parse("http://us%65r-4711:p%40ss%2Bword@host/v1?key=hidden%20query&4712-no-value&v=1");
        secrets.add_url(&url?);
        for told in ["user-4711", "p@ss+word", "p%40ss%2Bword", "hidden query", "hidden+query", "4712-no-value"] {
            let hidden = clean(&secrets, &format!("no: {told}."));
            assert!(hidden.starts_with("no: [key]"), "{hidden}");
        }
        assert_eq!(clean(&secrets, &format!("no: {}", BASE64_NOPAD.encode(b"user-4711:p@ss+word"))), "no: [key]");
        assert_eq!(clean(&secrets, "version 1"), "version 1");
        Ok(())
    }

    #[test]
    fn an_error_source_that_contains_a_key_is_dropped() {
        let mut secrets = Secrets::default();
        secrets.add(KEY);
        let of = |source: &str| secrets.hide(OperationError::from("no").with_source(source.to_owned())).source;
        assert!(of(KEY).is_none() && of("the host is unknown").is_some());
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(format!("{:?}", Some(Secret::new(KEY))), "Some([key])");
    }
}
