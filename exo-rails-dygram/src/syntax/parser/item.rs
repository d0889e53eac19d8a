//! Which kind of statement comes next.

use super::{Parser, Rule};
use crate::syntax::{Item, TokenKind};

impl Parser<'_> {
    /// Reads a node, an edge or an attribute. A single `;` is not a statement.
    pub(super) fn item(&mut self) -> Rule<Option<Item>> {
        match self.peek().kind {
            TokenKind::Punctuation(';') => {
                self.next();
                Ok(None)
            }
            TokenKind::Name if self.is_word(0, "machine") && !self.is_at(1, ':') && self.is_name_or_end(1) => {
                Err(self.untitled_machine())
            }
            TokenKind::Name => self.named_item().map(Some),
            TokenKind::External | TokenKind::Punctuation('#') => self.node(false).map(|node| Some(Item::Node(node))),
            kind if kind.begins_arrow() => {
                Err(self.expected("the name of a node before the arrow", "write an edge as `plan -> review;`"))
            }
            _ => Err(self
                .expected("a node, an edge or an attribute", "write `Task plan;`, `plan -> review;` or `limit: 3;`")),
        }
    }

    fn is_name_or_end(&self, ahead: usize) -> bool {
        matches!(self.peek_at(ahead).kind, TokenKind::Name | TokenKind::End | TokenKind::Punctuation('{' | '@'))
    }

    fn untitled_machine(&mut self) -> super::Broken {
        self.next();
        self.expected("the title of the machine in quotes", "write `machine \"Title\"`")
    }

    fn named_item(&mut self) -> Rule<Item> {
        let after = self.after_path(0);
        if self.begins_edge(after) {
            return self.edge().map(Item::Edge);
        }
        match self.peek_at(after).kind {
            TokenKind::Punctuation(':' | '<') if after == 1 => self.attribute().map(Item::Attribute),
            TokenKind::Name if after == 1 => self.node(self.is_type()).map(Item::Node),
            TokenKind::External | TokenKind::Punctuation('#') if after == 1 => self.node(true).map(Item::Node),
            _ => self.node(false).map(Item::Node),
        }
    }

    /// Returns whether the next name is the type of the name behind it.
    ///
    /// A semicolon behind a node may be missing. So `ready idle -> busy` is the node `ready` and an edge.
    fn is_type(&self) -> bool {
        let after = self.after_path(1);
        let is_attribute = matches!(self.peek_at(after).kind, TokenKind::Punctuation(':' | '<'));
        !is_attribute && !self.begins_edge(after)
    }

    /// Returns how far ahead the token behind a path is.
    fn after_path(&self, first: usize) -> usize {
        let mut after = first + 1;
        while self.is_at(after, '.') && self.peek_at(after + 1).kind == TokenKind::Name {
            after += 2;
        }
        after
    }

    /// Returns whether what is behind a path makes it the source of an edge.
    fn begins_edge(&self, after: usize) -> bool {
        let behind_multiplicity = after + usize::from(self.is_text(after));
        self.is_at(after, ',') || self.peek_at(behind_multiplicity).kind.begins_arrow()
    }
}
