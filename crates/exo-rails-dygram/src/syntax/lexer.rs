//! Splits a text into tokens.
//!
//! The lexer is written by hand, because unclosed texts and comments need special rules: each of them is one
//! mistake, and the rest of the file is still read.

use super::{Arrow, Token, TokenKind, is_word};
use crate::diagnostic::Span;

/// Splits a text into tokens. The last one is [`TokenKind::End`].
pub(crate) fn lex(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, unclosed: [false; 2] };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next();
        tokens.push(token);
        if token.kind == TokenKind::End {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Whether a text with `"` or with `'` had no end. A later one is then searched for in its own line only: otherwise, each
    /// could search the whole rest of the file.
    unclosed: [bool; 2],
}

/// Arrows and the texts before labels. If one is the beginning of another, the longer one is first.
const FIXED: [(&str, TokenKind); 9] = [
    ("<-->", TokenKind::Arrow(Arrow::Both)),
    ("<|--", TokenKind::Arrow(Arrow::Inherit)),
    ("*-->", TokenKind::Arrow(Arrow::Compose)),
    ("-->", TokenKind::Arrow(Arrow::Double)),
    ("->", TokenKind::Arrow(Arrow::Single)),
    ("--", TokenKind::LabelStart(Arrow::Double)),
    ("-", TokenKind::LabelStart(Arrow::Single)),
    ("=>", TokenKind::Arrow(Arrow::Fat)),
    ("=", TokenKind::LabelStart(Arrow::Fat)),
];

impl Lexer<'_> {
    fn next(&mut self) -> Token {
        self.skip_space();
        let start = self.at;
        let kind = self.kind();
        Token { kind, span: Span::new(start, self.at) }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        // Many editors put a byte order mark at the start of a file.
        let is_space = |c: char| c.is_whitespace() || c == '\u{feff}';
        self.at += self.rest().find(|c| !is_space(c)).unwrap_or(self.rest().len());
    }

    fn kind(&mut self) -> TokenKind {
        let Some(first) = self.rest().chars().next() else { return TokenKind::End };
        match first {
            '/' => self.comment(),
            '"' | '\'' => self.quoted(first),
            '0'..='9' => self.number(),
            '#' => self.external(),
            _ if is_word(first) => self.name(),
            _ => self.symbol(first),
        }
    }

    /// Takes the characters while they pass a test.
    fn take(&mut self, test: impl Fn(char) -> bool) -> usize {
        let length = self.rest().find(|c| !test(c)).unwrap_or(self.rest().len());
        self.at += length;
        length
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    fn comment(&mut self) -> TokenKind {
        if self.eat("//") {
            self.take(|c| c != '\n' && c != '\r');
            return TokenKind::LineComment;
        }
        if !self.eat("/*") {
            self.at += 1;
            return TokenKind::Unknown;
        }
        let end = self.rest().find("*/");
        self.at = end.map_or(self.text.len(), |end| self.at + end + 2);
        if end.is_some() { TokenKind::BlockComment } else { TokenKind::UnclosedComment }
    }

    fn quoted(&mut self, quote: char) -> TokenKind {
        let known_unclosed = usize::from(quote == '\'');
        let body = self.at + 1;
        let rest = self.text.get(body..).unwrap_or_default();
        // Only where it is needed: many texts in one long line would each search the rest of it.
        let line = || rest.find(['\n', '\r']).unwrap_or(rest.len());
        let searched = if self.unclosed[known_unclosed] { rest.get(..line()).unwrap_or_default() } else { rest };
        let Some(end) = closing(searched, quote) else {
            self.unclosed[known_unclosed] = true;
            self.at = body + line();
            return TokenKind::UnclosedText;
        };
        self.at = body + end + 1;
        TokenKind::Text
    }

    fn number(&mut self) -> TokenKind {
        self.take(|c| c.is_ascii_digit());
        self.digits_after(&["."]);
        self.digits_after(&["e+", "e-", "E+", "E-", "e", "E"]);
        TokenKind::Number
    }

    /// Takes one of the prefixes if a digit is behind it, and the digits.
    fn digits_after(&mut self, prefixes: &[&str]) {
        let digits = |prefix: &str| {
            let behind = self.rest().strip_prefix(prefix)?;
            let length = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
            (length > 0).then_some(prefix.len() + length)
        };
        if let Some(length) = prefixes.iter().find_map(|prefix| digits(prefix)) {
            self.at += length;
        }
    }

    fn external(&mut self) -> TokenKind {
        self.at += 1;
        if self.take(is_word) > 0 { TokenKind::External } else { TokenKind::Punctuation('#') }
    }

    fn name(&mut self) -> TokenKind {
        let start = self.at;
        self.take(is_word);
        if self.text.get(start..self.at) == Some("o") && self.eat("-->") {
            return TokenKind::Arrow(Arrow::Aggregate);
        }
        TokenKind::Name
    }

    fn symbol(&mut self, first: char) -> TokenKind {
        if let Some((_, kind)) = FIXED.iter().find(|(text, _)| self.eat(text)) {
            return *kind;
        }
        if let Some(length) = labelled_both(self.rest()) {
            self.at += length;
            return TokenKind::LabelledBoth;
        }
        self.at += first.len_utf8();
        match first {
            '{' | '}' | '[' | ']' | '(' | ')' | '<' | '>' | ':' | ';' | ',' | '.' | '@' | '?' | '|' => {
                TokenKind::Punctuation(first)
            }
            _ => TokenKind::Unknown,
        }
    }
}

/// Returns the place of the closing quote.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if !is_escaped && c == quote {
            return Some(at);
        }
        is_escaped = !is_escaped && c == '\\';
    }
    None
}

/// Returns the length of `<--label-->`, whose last two dashes are optional.
fn labelled_both(text: &str) -> Option<usize> {
    let label = text.strip_prefix("<--")?;
    let length = label.find(|c| !is_word(c))?;
    let end = label.get(length..)?;
    let arrow = ["-->", "->", ">"].into_iter().find(|arrow| end.starts_with(arrow))?;
    (length > 0).then_some("<--".len() + length + arrow.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut kinds: Vec<_> = lex(text).into_iter().map(|token| token.kind).collect();
        kinds.pop();
        kinds
    }

    #[test]
    fn the_longest_arrow_is_read() {
        use TokenKind::{Arrow as A, LabelStart as L, LabelledBoth, Name, Punctuation as P, Unknown};
        let cases: [(&str, &[TokenKind]); 14] = [
            ("a->b", &[Name, A(Arrow::Single), Name]),
            ("a-->b", &[Name, A(Arrow::Double), Name]),
            ("a=>b", &[Name, A(Arrow::Fat), Name]),
            ("a<-->b", &[Name, A(Arrow::Both), Name]),
            ("a<--x-->b", &[Name, LabelledBoth, Name]),
            ("a<--x->b", &[Name, LabelledBoth, Name]),
            ("a<--x>b", &[Name, LabelledBoth, Name]),
            ("a<|--b", &[Name, A(Arrow::Inherit), Name]),
            ("a*-->b", &[Name, A(Arrow::Compose), Name]),
            ("a o-->b", &[Name, A(Arrow::Aggregate), Name]),
            ("foo-->b", &[Name, A(Arrow::Double), Name]),
            ("a --x--> b", &[Name, L(Arrow::Double), Name, A(Arrow::Double), Name]),
            ("a -x-> b", &[Name, L(Arrow::Single), Name, A(Arrow::Single), Name]),
            ("x<a>*", &[Name, P('<'), Name, P('>'), Unknown]),
        ];
        for (text, expected) in cases {
            assert_eq!(kinds(text), expected, "{text}");
        }
    }

    #[test]
    fn a_number_ends_before_the_first_character_that_does_not_fit() {
        for (text, length) in [("12", 2), ("1.5", 3), ("1.", 1), ("1e3", 3), ("1e", 1), ("2E-4x", 4), ("1.2.3", 3)] {
            assert_eq!(lex(text)[0].span.end, length, "{text}");
        }
    }

    #[test]
    fn unclosed_texts_end_with_their_line() {
        use TokenKind::{End, Name, UnclosedComment, UnclosedText};
        let tokens = lex("a \"b\nc 'd\ne /* f\ng");
        let found: Vec<_> = tokens.iter().map(|token| (token.kind, token.span.start)).collect();
        assert_eq!(
            found,
            [(Name, 0), (UnclosedText, 2), (Name, 5), (UnclosedText, 7), (Name, 10), (UnclosedComment, 12), (End, 18)]
        );
    }

    #[test]
    fn escaped_quotes_do_not_close() {
        assert_eq!(lex(r#""a\"b" c"#)[0].span, Span::new(0, 6));
        assert_eq!(lex(r#""a\\" c"#)[0].span, Span::new(0, 5));
    }
}
