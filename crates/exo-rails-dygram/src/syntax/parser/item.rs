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
            _ if self.begins_edge_of_block() => self.edge_of_block().map(|edge| Some(Item::Edge(edge))),
            kind if kind.begins_arrow() => {
                Err(self.expected("the name of a node before the arrow", "write an edge as `plan -> review;`"))
            }
            _ => Err(self
                .expected("a node, an edge or an attribute", "write `Task plan;`, `plan -> review;` or `limit: 3;`")),
        }
    }

    /// Returns whether an arrow begins a statement in the body of a node. The node is then its source.
    ///
    /// Behind something in the same line, the name before the arrow is more likely missing.
    fn begins_edge_of_block(&self) -> bool {
        let is_arrow = self.peek_at(usize::from(self.is_text(0))).kind.begins_arrow();
        let is_first = self.begins_line() || self.follows_statement();
        self.level > 0 && is_arrow && is_first
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
        if self.begins_backward_arrow(after) {
            return Err(self.backward_arrow(after));
        }
        match self.peek_at(after).kind {
            TokenKind::Punctuation(':' | '<') if after == 1 => self.attribute().map(Item::Attribute),
            TokenKind::Name if after == 1 => self.node(self.is_type()).map(Item::Node),
            TokenKind::External | TokenKind::Punctuation('#') if after == 1 => self.node(true).map(Item::Node),
            _ => self.node(false).map(Item::Node),
        }
    }

    /// Returns whether an arrow to the left is behind a path, such as `<-` or `<->`.
    fn begins_backward_arrow(&self, after: usize) -> bool {
        let (bracket, arrow) = (self.peek_at(after), self.peek_at(after + 1));
        self.is_at(after, '<') && arrow.kind.begins_arrow() && bracket.span.end == arrow.span.start
    }

    fn backward_arrow(&mut self, after: usize) -> super::Broken {
        let span = self.peek_at(after).span.to(self.peek_at(after + 1).span);
        let help = "write `review -> plan;`, or `plan <--> review;` for a relation in both directions";
        self.report(span, "an arrow does not point to the left", help);
        super::Broken
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
