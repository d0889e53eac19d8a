//! The text form of a rule.

use crate::grammar::{self, Mistake, Name, Rule, Token};

/// Reads a rule from its text.
///
/// ```
/// use exo_rails_sequence::text;
///
/// let rule = text::parse("refund only after approve within 60m").unwrap();
/// assert_eq!(rule.to_string(), "refund only after approve within 1h");
///
/// let mistake = text::parse("refund after approve").unwrap_err();
/// assert_eq!(mistake.at, 7);
/// assert_eq!(mistake.message, "write `only after`: `refund only after …`, or `never refund after …`");
/// ```
///
/// # Errors
/// Returns the first mistake. Its place is a byte of the text.
pub fn parse(text: &str) -> Result<Rule<()>, Mistake<usize>> {
    grammar::parse(&tokens(text)?, text.trim_end().len()).map(|rule| rule.map(&mut |_| ()))
}

/// Splits a text into words. A name in double quotes is one word, and `""` is a quote inside of it.
fn tokens(text: &str) -> Result<Vec<Token<usize>>, Mistake<usize>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else { return Ok(tokens) };
        let (length, word, is_quoted) = if first == '"' {
            let Some(end) = end_of_quotes(rest) else {
                let message = "the quotes of this name do not end: write `\"` after it".to_owned();
                return Err(Mistake { at, message });
            };
            (end + 1, rest[1..end].replace("\"\"", "\""), true)
        } else {
            let end = rest.find(|char: char| char.is_whitespace() || char == '"').unwrap_or(rest.len());
            (end, rest[..end].to_owned(), false)
        };
        tokens.push(Token { text: word, is_quoted, at });
        rest = &rest[length..];
    }
}

/// Returns the place of the quote that ends a name in quotes.
fn end_of_quotes(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        at += text.get(at..)?.find('"')?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// A name in code has no place.
impl From<&str> for Name<()> {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), at: () }
    }
}
