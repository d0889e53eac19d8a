//! Goes on after a mistake.

use super::Parser;
use crate::syntax::TokenKind;

impl Parser<'_> {
    /// Skips the rest of a statement that could not be read. `begun` is the place of its first token.
    ///
    /// It ends with `;`, with the end of its braces, before the `}` of the block around it, or before a line that begins with a
    /// name.
    pub(super) fn skip_statement(&mut self, begun: usize) {
        // A statement that failed at its first token would fail there again.
        if self.at == begun && !self.is('}') {
            self.skip_one();
        }
        loop {
            match self.peek().kind {
                TokenKind::End | TokenKind::Punctuation('}') => return,
                TokenKind::Punctuation(';') => {
                    self.next();
                    return;
                }
                TokenKind::Punctuation('{') => {
                    self.skip_one();
                    self.eat(';');
                    return;
                }
                TokenKind::Name if self.begins_line() => return,
                _ => self.skip_one(),
            }
        }
    }

    /// Skips the rest of an annotation's argument, in which a semicolon does not end the statement.
    pub(super) fn skip_argument(&mut self) {
        loop {
            match self.peek().kind {
                TokenKind::End | TokenKind::Punctuation('{' | '}') => return,
                TokenKind::Punctuation(')') => {
                    self.next();
                    return;
                }
                _ if self.begins_line() => return,
                _ => {
                    self.next();
                }
            }
        }
    }

    /// Skips a token, or a pair of brackets with everything between them.
    fn skip_one(&mut self) {
        let mut open = Vec::new();
        let mut braces = 0_usize;
        loop {
            match self.next().kind {
                TokenKind::Punctuation('{') => {
                    open.push('}');
                    braces += 1;
                }
                TokenKind::Punctuation('[') => open.push(']'),
                TokenKind::Punctuation('(') => open.push(')'),
                TokenKind::Punctuation('}') => {
                    // A brace also closes the other brackets in it.
                    while open.pop().is_some_and(|closing| closing != '}') {}
                    braces = braces.saturating_sub(1);
                }
                TokenKind::Punctuation(c) if open.last() == Some(&c) => {
                    open.pop();
                }
                TokenKind::End => return,
                _ => {}
            }
            let ends_outer_block = braces == 0 && self.is('}');
            if open.is_empty() || ends_outer_block {
                return;
            }
        }
    }

    /// Returns whether the token before the next one ends a statement, or begins a block.
    pub(super) fn follows_statement(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|before| self.tokens.get(before));
        before.is_none_or(|before| matches!(before.kind, TokenKind::Punctuation(';' | '{' | '}')))
    }

    /// Returns whether the next token is the first one in its line.
    pub(super) fn begins_line(&self) -> bool {
        self.is_on_next_line(0)
    }

    /// Returns whether a token is in a later line than the one before it.
    pub(super) fn is_on_next_line(&self, ahead: usize) -> bool {
        let Some(before) = (self.at + ahead).checked_sub(1).and_then(|before| self.tokens.get(before)) else {
            return true;
        };
        let between = self.text.get(before.span.end..self.peek_at(ahead).span.start).unwrap_or_default();
        between.contains('\n')
    }
}
