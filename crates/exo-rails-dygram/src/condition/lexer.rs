//! The tokens of a condition.

use super::ExpressionError;
use crate::diagnostic::Span;
use crate::syntax::{is_name, is_word};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    Text,
    /// An operator or a bracket, as plain CEL has it.
    Symbol(&'static str),
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// Symbols with their meaning in CEL. If one is the beginning of another, the longer one is first.
const SYMBOLS: [(&str, &str); 29] = [
    ("===", "=="),
    ("!==", "!="),
    ("==", "=="),
    ("!=", "!="),
    ("<=", "<="),
    (">=", ">="),
    ("&&", "&&"),
    ("||", "||"),
    ("{{", ""),
    ("}}", ""),
    ("<", "<"),
    (">", ">"),
    ("!", "!"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("%", "%"),
    ("?", "?"),
    (":", ":"),
    (",", ","),
    (".", "."),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
    ("{", "{"),
    ("}", "}"),
    ("=", "="),
];

/// Words that programs have as operators, with the operators of CEL.
const WORDS: [(&str, &str); 4] = [("and", "&&"), ("or", "||"), ("not", "!"), ("is", "==")];

/// Returns the tokens of a condition.
pub(super) fn lex(text: &str) -> Result<Vec<Token>, ExpressionError> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    // Whether `{{` is open. Other `}}` are the ends of two maps.
    let mut in_template = false;
    while let Some(token) = token(text, at, &mut in_template)? {
        at = token.span.end;
        if token.kind != Kind::Symbol("") {
            tokens.push(token);
        }
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(text.len(), text.len()) });
    Ok(tokens)
}

fn token(text: &str, from: usize, in_template: &mut bool) -> Result<Option<Token>, ExpressionError> {
    let rest = text.get(from..).unwrap_or_default();
    let start = from + rest.len() - rest.trim_start().len();
    let rest = rest.trim_start();
    let Some(first) = rest.chars().next() else { return Ok(None) };
    let (kind, length) = if first.is_ascii_digit() {
        (Kind::Number, number(rest))
    } else if let Some(length) = quoted(rest) {
        (Kind::Text, length.ok_or_else(|| unclosed(start, text.len()))?)
    } else if is_word(first) {
        (Kind::Name, rest.find(|c| !is_word(c)).unwrap_or(rest.len()))
    } else {
        symbol(rest, in_template).ok_or_else(|| unknown(start, first))?
    };
    Ok(Some(Token { kind, span: Span::new(start, start + length) }))
}

fn symbol(rest: &str, in_template: &mut bool) -> Option<(Kind, usize)> {
    let opens = rest.starts_with("{{") && is_template(rest);
    let closes = rest.starts_with("}}") && *in_template;
    let is_brace = |text: &str| text == "{{" || text == "}}";
    let fits = |text: &str| if is_brace(text) { opens || closes } else { true };
    let (text, meaning) = SYMBOLS.iter().find(|(text, _)| rest.starts_with(text) && fits(text))?;
    if is_brace(text) {
        *in_template = opens;
    }
    Some((Kind::Symbol(meaning), text.len()))
}

fn is_template(rest: &str) -> bool {
    let end = rest.get(2..).and_then(|inside| inside.find(['{', '}']).map(|end| (inside, end)));
    end.is_some_and(|(inside, end)| {
        let names = inside.get(..end).unwrap_or_default().trim();
        inside.get(end..).unwrap_or_default().starts_with("}}") && names.split('.').all(is_name)
    })
}

fn number(rest: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let mut length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let exponent = rest.get(..length).is_some_and(|number| number.ends_with(['e', 'E']) && !number.starts_with("0x"));
    let sign = rest.get(length..).is_some_and(|behind| behind.starts_with(['+', '-']));
    if exponent && sign {
        let digits = rest.get(length + 1..).unwrap_or_default();
        length += 1 + digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    }
    length
}

/// Returns the length of a text with its prefix and quotes, `Some(None)` if it has no end, and `None` if the input is not a text.
#[expect(clippy::option_option, reason = "three answers, used in one place")]
fn quoted(rest: &str) -> Option<Option<usize>> {
    let prefix = rest.find(|c| !"rRbB".contains(c)).filter(|length| *length <= 2)?;
    if !rest.get(prefix..)?.starts_with(['"', '\'']) {
        return None;
    }
    let is_raw = rest.get(..prefix)?.contains(['r', 'R']);
    let behind = rest.get(prefix..)?;
    let quotes = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quotes| behind.starts_with(quotes))?;
    let mut at = prefix + quotes.len();
    while let Some(c) = rest.get(at..).and_then(|rest| rest.chars().next()) {
        if rest.get(at..).is_some_and(|rest| rest.starts_with(quotes)) {
            return Some(Some(at + quotes.len()));
        }
        at += c.len_utf8();
        if c == '\\' && !is_raw {
            at += rest.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        }
    }
    Some(None)
}

fn unclosed(start: usize, end: usize) -> ExpressionError {
    let help = Some("write the quote where the text ends".to_owned());
    ExpressionError {
        span: Span::new(start, end),
        message: "a text in the condition has no closing quote".to_owned(),
        help,
    }
}

fn unknown(start: usize, c: char) -> ExpressionError {
    let help = match c {
        '&' => "write `&&`",
        '|' => "write `||`",
        _ => "write a condition such as `count > 3 && ready`",
    };
    let span = Span::new(start, start + c.len_utf8());
    ExpressionError { span, message: format!("`{c}` is not an operator of a condition"), help: Some(help.to_owned()) }
}

/// Returns the operator that a word stands for in other languages.
pub(super) fn operator_of(word: &str) -> Option<&'static str> {
    WORDS.iter().find(|(other, _)| word.eq_ignore_ascii_case(other)).map(|(_, operator)| *operator)
}
