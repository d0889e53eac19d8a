//! Reads tokens as a tree, by recursive descent.
//!
//! A rule that fails has reported its mistake, and returns [`Broken`]. The rule of the statement then skips to the next one.

mod annotation;
mod attribute;
mod edge;
mod head;
mod item;
mod node;
mod recovery;

use super::{Comment, File, Layout, Mark, Name, Path, Text, Token, TokenKind, lex, unescape};
use crate::diagnostic::{Diagnostic, FileId, Place, Span};

/// How deep values and types may be nested.
pub const MAX_DEPTH: usize = 64;

/// How many levels of nodes a machine may have.
pub const MAX_LEVELS: usize = 32;

/// How many mistakes a report has. Files with more are something else.
const MAX_MISTAKES: usize = 100;

/// The tree of a file, and the syntax mistakes in its text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Parsed {
    /// What could be read.
    pub file: File,
    /// The mistakes in the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file.
///
/// `file` is the number of the file in the places of mistakes. For a single file, use `FileId::default()`.
///
/// ```
/// use exo_rails_dygram::FileId;
/// use exo_rails_dygram::syntax::parse;
///
/// let parsed = parse(FileId::default(), "Task { } a -> ; State done;");
/// assert_eq!(parsed.diagnostics.len(), 1);
/// assert_eq!(parsed.diagnostics[0].message, "expected the name of a node, found `;`");
/// ```
#[must_use]
pub fn parse(file: FileId, text: &str) -> Parsed {
    let mut parser = Parser::new(file, text);
    let mut tree = parser.file();
    tree.comments = parser.comments;
    tree.layout = parser.layout.finish();
    Parsed { file: tree, diagnostics: parser.diagnostics }
}

/// A rule failed, and has reported why.
struct Broken;

type Rule<T> = Result<T, Broken>;

struct Parser<'a> {
    text: &'a str,
    file: FileId,
    /// All tokens except comments. The last one is the end.
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    at: usize,
    depth: usize,
    /// How many bodies of nodes are open.
    level: usize,
    layout: Layout,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn new(file: FileId, text: &'a str) -> Self {
        let (comments, tokens): (Vec<_>, Vec<_>) = lex(text).into_iter().partition(|token| token.kind.is_comment());
        let mut parser = Self {
            text,
            file,
            tokens,
            comments: Vec::new(),
            at: 0,
            depth: 0,
            level: 0,
            layout: Layout::default(),
            diagnostics: Vec::new(),
        };
        parser.report_unclosed(&comments);
        let comment = |token: &Token| Comment { span: token.span, is_line: token.kind == TokenKind::LineComment };
        parser.comments = comments.iter().map(comment).collect();
        parser
    }

    /// Reports texts and comments without an end. The parser then takes such a text as if it had one.
    fn report_unclosed(&mut self, comments: &[Token]) {
        for token in comments.iter().filter(|token| token.kind == TokenKind::UnclosedComment) {
            let opening = Span::new(token.span.start, token.span.start + 2);
            self.report(opening, "the comment has no end", "write `*/` where the comment ends");
        }
        let unclosed = |token: &&Token| token.kind == TokenKind::UnclosedText;
        let spans: Vec<_> = self.tokens.iter().filter(unclosed).map(|token| token.span).collect();
        for span in spans {
            let quote = span.of(self.text).chars().next().unwrap_or('"');
            self.report(span, "the text has no closing quote", format!("write `{quote}` where the text ends"));
        }
    }

    // Tokens

    fn peek(&self) -> Token {
        self.peek_at(0)
    }

    /// Returns the token `ahead` of the next one.
    fn peek_at(&self, ahead: usize) -> Token {
        let end = Token { kind: TokenKind::End, span: Span::new(self.text.len(), self.text.len()) };
        self.tokens.get(self.at + ahead).copied().unwrap_or(end)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    /// Returns the span of the last token that was taken.
    fn last(&self) -> Span {
        self.at.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(Span::default(), |token| token.span)
    }

    /// Returns the span from `start` to the last token that was taken.
    fn since(&self, start: Span) -> Span {
        start.to(self.last())
    }

    fn is(&self, c: char) -> bool {
        self.is_at(0, c)
    }

    fn is_at(&self, ahead: usize, c: char) -> bool {
        self.peek_at(ahead).kind == TokenKind::Punctuation(c)
    }

    fn eat(&mut self, c: char) -> bool {
        let is_next = self.is(c);
        if is_next {
            self.next();
        }
        is_next
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        let token = self.peek_at(ahead);
        token.kind == TokenKind::Name && token.span.of(self.text) == word
    }

    fn is_text(&self, ahead: usize) -> bool {
        matches!(self.peek_at(ahead).kind, TokenKind::Text | TokenKind::UnclosedText)
    }

    /// Marks the next token for the formatter.
    fn mark(&mut self, mark: Mark) {
        let at = self.peek().span.start;
        self.layout.mark(at, mark);
    }

    // Mistakes

    fn report(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        let found = Diagnostic::error("syntax", Place::new(self.file, span), message).with_help(help);
        self.push(found);
    }

    fn push(&mut self, found: Diagnostic) {
        let count = self.diagnostics.len();
        if count < MAX_MISTAKES {
            self.diagnostics.push(found);
        } else if count == MAX_MISTAKES {
            let message = "the file has more mistakes than are shown";
            self.diagnostics.push(Diagnostic::error("too-many-mistakes", found.place, message));
        }
    }

    /// Reports that the next token is not what the grammar needs.
    fn expected(&mut self, what: &str, help: &str) -> Broken {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end of the file".to_owned(),
            TokenKind::Text | TokenKind::UnclosedText => "a text".to_owned(),
            _ => format!("`{}`", token.span.of(self.text)),
        };
        self.report(token.span, format!("expected {what}, found {found}"), help);
        Broken
    }

    fn expect(&mut self, c: char, help: &str) -> Rule<()> {
        if self.eat(c) { Ok(()) } else { Err(self.expected(&format!("`{c}`"), help)) }
    }

    // Small rules

    fn name(&mut self, what: &str, help: &str) -> Rule<Name> {
        if self.peek().kind != TokenKind::Name {
            return Err(self.expected(what, help));
        }
        let span = self.next().span;
        Ok(Name { text: span.of(self.text).to_owned(), span })
    }

    /// Reads a name with dots.
    fn path(&mut self, what: &str, help: &str) -> Rule<Path> {
        let mut names = vec![self.name(what, help)?];
        while self.eat('.') {
            if names.len() >= MAX_LEVELS {
                return Err(self.too_deep(MAX_LEVELS));
            }
            names.push(self.name("a name after the dot", "write a name, such as `review.draft`")?);
        }
        let start = names.first().map_or(self.last(), |name| name.span);
        Ok(Path { span: self.since(start), names })
    }

    /// Reads a text if it is next.
    fn optional_text(&mut self) -> Option<Text> {
        self.is_text(0).then(|| self.text_token())
    }

    fn text_token(&mut self) -> Text {
        let token = self.next();
        let end = token.span.end - usize::from(token.kind == TokenKind::Text);
        let raw = self.text.get(token.span.start + 1..end).unwrap_or_default();
        let (value, unknown) = unescape(raw);
        for at in unknown {
            let start = token.span.start + 1 + at;
            let escape = Span::new(start, self.text.ceil_char_boundary(start + 2).min(end));
            let shown = escape.of(self.text);
            let message = format!("the escape `{shown}` is unknown, and means the character after the backslash");
            let found = Diagnostic::warning("unknown-escape", Place::new(self.file, escape), message);
            self.push(found.with_help(format!("write `\\{shown}` for a backslash")));
        }
        Text { has_escapes: raw.contains('\\'), value, span: token.span }
    }

    fn too_deep(&mut self, limit: usize) -> Broken {
        let span = self.peek().span;
        self.report(span, format!("this is more than {limit} levels deep"), "move the inner parts to the top level");
        Broken
    }

    /// Runs a rule one level deeper. Too deep nesting is a mistake, and the rule does not run.
    fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> Rule<T>) -> Rule<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep(MAX_DEPTH));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }
}
