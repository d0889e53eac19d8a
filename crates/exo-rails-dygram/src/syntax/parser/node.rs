//! Nodes.

use super::{Broken, MAX_LEVELS, Parser, Rule};
use crate::diagnostic::{Diagnostic, Place};
use crate::syntax::{Item, Mark, Name, Node, Path, TokenKind, is_keyword};

impl Parser<'_> {
    pub(super) fn node(&mut self, has_type: bool) -> Rule<Node> {
        let start = self.peek().span;
        let type_name = if has_type { Some(self.type_name()?) } else { None };
        let path = self.node_name()?;
        let title = self.optional_text();
        let annotations = self.annotations()?;
        let mut items = Vec::new();
        if self.is('{') {
            if self.level >= MAX_LEVELS {
                return Err(self.too_deep(MAX_LEVELS));
            }
            self.level += 1;
            items = self.body();
            self.level -= 1;
        }
        self.eat(';');
        Ok(Node { type_name, path, title, annotations, items, span: self.since(start) })
    }

    fn type_name(&mut self) -> Rule<Name> {
        let name = self.name("the type of a node", "write `Task plan;`")?;
        if is_keyword(&name.text) {
            let help = "write `import { plan } from \"./other.dygram\";` or `machine \"Title\"`, or use another type";
            self.report(name.span, format!("`{}` is a keyword, so it cannot be the type of a node", name.text), help);
            return Err(Broken);
        }
        if self.begins_line() {
            let message = format!("`{}` is read as the type of the node in the next line", name.text);
            let help = format!("write `{};` if it is a node", name.text);
            let found = Diagnostic::warning("type-on-other-line", Place::new(self.file, name.span), message);
            self.push(found.with_help(help));
        }
        Ok(name)
    }

    /// Reads the name of a node. A `#` before it has no meaning.
    fn node_name(&mut self) -> Rule<Path> {
        let token = self.peek();
        if token.kind != TokenKind::External {
            self.eat('#');
            return self.path("the name of a node", "write `Task plan;`");
        }
        self.next();
        let text = token.span.of(self.text).trim_start_matches('#').to_owned();
        if !crate::syntax::is_name(&text) {
            self.report(token.span, format!("`{text}` is not a name"), "begin the name with a letter or `_`");
        }
        Ok(Path { names: vec![Name { text, span: token.span }], span: token.span })
    }

    /// Reads statements in braces.
    fn body(&mut self) -> Vec<Item> {
        let opening = self.peek().span;
        self.mark(Mark::Block);
        self.next();
        let mut items = Vec::new();
        while !self.is('}') {
            if self.peek().kind == TokenKind::End {
                self.report(opening, "this `{` is not closed", "write `}` where the block ends");
                return items;
            }
            self.mark(Mark::Statement);
            let begun = self.at;
            match self.item() {
                Ok(item) => items.extend(item),
                Err(_) => self.skip_statement(begun),
            }
        }
        self.mark(Mark::Close);
        self.next();
        items
    }
}
