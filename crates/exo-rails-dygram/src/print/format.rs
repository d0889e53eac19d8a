//! Formats a file: only white space changes.

use std::collections::HashMap;

use crate::diagnostic::{Report, Severity, Sources};
use crate::syntax::{Layout, Mark, Token, TokenKind, lex, parse};

/// Formats a file. It changes only the white space between tokens, and keeps all comments.
///
/// Each statement gets its own line. Blocks are indented by four spaces. At most one empty line between statements stays.
/// Lists and objects on one line stay on one line. An arrow or an annotation at the start of a line stays there. All lines get
/// the line ending of the first line.
///
/// ```
/// let text = "Task   plan{prompt:\"Plan\";// what to do\n}plan->done;";
/// let formatted = exo_rails_dygram::format("flow.dygram", text)?;
/// assert_eq!(formatted, "Task plan {\n    prompt: \"Plan\"; // what to do\n}\nplan -> done;\n");
/// # Ok::<(), exo_rails_dygram::Report>(())
/// ```
///
/// # Errors
///
/// If the file has a syntax mistake.
pub fn format(name: &str, text: &str) -> Result<String, Report> {
    let mut sources = Sources::new();
    let parsed = parse(sources.add(name, text), text);
    if parsed.diagnostics.iter().any(|found| found.severity == Severity::Error) {
        return Err(Report::new(sources, parsed.diagnostics));
    }
    let mut tokens = lex(text);
    tokens.pop();
    Ok(Formatter::new(text, &tokens, &parsed.file.layout).format())
}

struct Formatter<'a> {
    text: &'a str,
    tokens: &'a [Token],
    layout: &'a Layout,
    newline: &'static str,
    /// The brackets whose contents are in lines of their own, by the number of their first token.
    open_lines: HashMap<usize, bool>,
    out: String,
    /// The brackets around the current token.
    stack: Vec<Bracket>,
    in_label: bool,
}

#[derive(Clone, Copy, Default)]
struct Bracket {
    /// Whether what is in it is in lines of its own.
    in_lines: bool,
    /// Whether it is a list or an object, and no block.
    is_list: bool,
}

/// What is between two tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Nothing,
    Space,
    /// A new line, indented by so many levels more than the block.
    Line(usize),
    /// An empty line before it.
    EmptyLine,
}

impl<'a> Formatter<'a> {
    fn new(text: &'a str, tokens: &'a [Token], layout: &'a Layout) -> Self {
        let out = String::with_capacity(text.len() + text.len() / 4);
        let mut formatter = Self {
            text,
            tokens,
            layout,
            newline: "\n",
            open_lines: HashMap::new(),
            out,
            stack: Vec::new(),
            in_label: false,
        };
        formatter.find_newline();
        formatter.find_open_lines();
        formatter
    }

    /// Lines end as the first line that does not end in a text or a comment.
    fn find_newline(&mut self) {
        let mut gaps = (0..=self.tokens.len()).map(|at| self.text_before(at));
        if gaps.find(|gap| gap.contains('\n')).is_some_and(|gap| gap.contains("\r\n")) {
            self.newline = "\r\n";
        }
    }

    /// Decides for each bracket whether its contents are in lines of their own.
    fn find_open_lines(&mut self) {
        let mut open: Vec<(usize, bool)> = Vec::new();
        for at in 0..self.tokens.len() {
            let begins_line = self.lines_before(at) > 0;
            if begins_line || self.kind(at) == Some(TokenKind::LineComment) {
                open.iter_mut().last().into_iter().for_each(|last| last.1 = true);
            }
            match self.kind(at) {
                Some(TokenKind::Punctuation('{' | '[' | '(')) => open.push((at, false)),
                Some(TokenKind::Punctuation('}' | ']' | ')')) => {
                    let Some((start, has_line)) = open.pop() else { continue };
                    let is_empty = start + 1 == at;
                    let is_block = self.has(start, Mark::Block);
                    let in_lines =
                        !is_empty && (is_block || (has_line && self.kind(at) != Some(TokenKind::Punctuation(')'))));
                    self.open_lines.insert(start, in_lines);
                    // What is around lines has lines.
                    open.iter_mut().last().into_iter().for_each(|last| last.1 |= in_lines);
                }
                _ => {}
            }
        }
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn is(&self, at: usize, characters: &str) -> bool {
        matches!(self.kind(at), Some(TokenKind::Punctuation(c)) if characters.contains(c))
    }

    fn has(&self, at: usize, mark: Mark) -> bool {
        self.tokens.get(at).is_some_and(|token| self.layout.has(token.span.start, mark))
    }

    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.span.of(self.text))
    }

    /// Returns how many lines end between a token and the one before it.
    fn lines_before(&self, at: usize) -> usize {
        self.text_before(at).matches('\n').count()
    }

    /// Returns the white space before a token.
    fn text_before(&self, at: usize) -> &'a str {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before)).map_or(0, |token| token.span.end);
        let start = self.tokens.get(at).map_or(self.text.len(), |token| token.span.start);
        self.text.get(before..start).unwrap_or_default()
    }

    fn format(mut self) -> String {
        for at in 0..self.tokens.len() {
            let closes = self.is(at, "}])");
            let was_in_lines = closes && self.stack.pop().unwrap_or_default().in_lines;
            let gap = self.gap(at, was_in_lines);
            self.write_gap(gap);
            let word = self.word(at);
            self.out.push_str(word);
            if self.is(at, "{[(") {
                let in_lines = self.open_lines.get(&at).copied().unwrap_or_default();
                self.stack.push(Bracket { in_lines, is_list: self.has(at, Mark::List) });
            }
            self.in_label = self.has(at, Mark::LabelStart) || (self.in_label && !self.has(at, Mark::Arrow));
        }
        if !self.out.is_empty() {
            self.out.push_str(self.newline);
        }
        self.out
    }

    fn write_gap(&mut self, gap: Gap) {
        let levels = self.stack.iter().filter(|bracket| bracket.in_lines).count();
        let (lines, more) = match gap {
            Gap::Nothing => return,
            Gap::Space => return self.out.push(' '),
            Gap::Line(more) => (1, more),
            Gap::EmptyLine => (2, 0),
        };
        self.out.push_str(&self.newline.repeat(lines));
        self.out.push_str(&"    ".repeat(levels + more));
    }

    fn gap(&self, at: usize, closes_lines: bool) -> Gap {
        let Some(before) = at.checked_sub(1) else { return Gap::Nothing };
        let around = self.stack.last().copied().unwrap_or(Bracket { in_lines: true, is_list: false });
        let in_lines = around.in_lines;
        let after_bracket = self.is(before, "{[(");
        let is_apart = self.lines_before(at) > 1 && !after_bracket && in_lines;
        let line = if is_apart { Gap::EmptyLine } else { Gap::Line(0) };
        let is_comment = self.kind(at).is_some_and(TokenKind::is_comment);
        if closes_lines {
            return Gap::Line(0);
        }
        if is_comment {
            return if self.lines_before(at) == 0 { Gap::Space } else { line };
        }
        let begins =
            self.has(at, Mark::Statement) || (after_bracket && in_lines) || (self.is(before, ",") && around.is_list);
        if begins && in_lines && !self.is(at, ";}])") {
            return line;
        }
        let is_after_line_comment = self.kind(before) == Some(TokenKind::LineComment);
        let keeps_line = self.lines_before(at) > 0 && !self.in_label && self.may_begin_line(at);
        if is_after_line_comment || keeps_line {
            return Gap::Line(1);
        }
        if self.needs_space(before, at) { Gap::Space } else { Gap::Nothing }
    }

    /// Arrows and annotations stay at the start of a line.
    fn may_begin_line(&self, at: usize) -> bool {
        self.is(at, "@") || self.has(at, Mark::LabelStart) || self.has(at, Mark::Arrow)
    }

    fn needs_space(&self, before: usize, at: usize) -> bool {
        if self.kind(before).is_some_and(TokenKind::is_comment) {
            return true;
        }
        let joins = self.is(at, ";,)]>?:.(")
            || self.is(before, ".([@#<")
            || self.has(before, Mark::Minus)
            || self.has(at, Mark::TypeStart)
            || self.has(before, Mark::LabelStart)
            || (self.in_label && self.has(at, Mark::Arrow))
            || (self.is(before, "{") && self.is(at, "}"));
        !joins || self.would_merge(before, at)
    }

    /// Returns whether two tokens without a space would be read as others.
    fn would_merge(&self, before: usize, at: usize) -> bool {
        if matches!(self.kind(before), Some(TokenKind::Text)) {
            return false;
        }
        let first = self.word(before);
        // The start of the second token decides.
        let second: String = self.word(at).chars().take(4).collect();
        lex(&format!("{first}{second}"))
            .first()
            .is_none_or(|token| token.span.end != first.len() || Some(token.kind) != self.kind(before))
    }
}
