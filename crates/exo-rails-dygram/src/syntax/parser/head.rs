//! The file, its imports and its head.

use super::{Parser, Rule};
use crate::syntax::{File, Head, Import, ImportedName, Mark};

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let mut file = File::default();
        while self.peek().kind != crate::syntax::TokenKind::End {
            let begun = self.at;
            let result = self.top_level(&mut file);
            if result.is_err() {
                self.skip_statement(begun);
            }
            // No block is open here.
            while self.is('}') {
                let span = self.next().span;
                self.report(span, "this `}` closes nothing", "remove it, or write `{` where the block begins");
            }
        }
        file
    }

    fn top_level(&mut self, file: &mut File) -> Rule<()> {
        self.mark(Mark::Statement);
        if self.is_word(0, "import") && self.is_at(1, '{') {
            if file.head.is_some() || !file.items.is_empty() {
                let span = self.peek().span;
                self.report(span, "an import comes before everything else", "move the import to the start of the file");
            }
            file.imports.push(self.import()?);
        } else if self.is_word(0, "machine") && self.is_text(1) {
            self.check_place_of_head(file);
            let head = self.head()?;
            file.head.get_or_insert(head);
        } else {
            let item = self.item()?;
            file.items.extend(item);
        }
        Ok(())
    }

    fn check_place_of_head(&mut self, file: &File) {
        let span = self.peek().span;
        if file.head.is_some() {
            self.report(span, "the file has a second `machine`", "remove it: a file has one machine");
        } else if !file.items.is_empty() {
            self.report(span, "`machine` comes before nodes and edges", "move it to the start of the file");
        }
    }

    fn import(&mut self) -> Rule<Import> {
        let help = "write `import { plan, review as check } from \"./other.dygram\";`";
        let start = self.next().span;
        self.mark(Mark::List);
        self.expect('{', help)?;
        let mut names = vec![self.imported_name(help)?];
        while self.eat(',') {
            names.push(self.imported_name(help)?);
        }
        self.mark(Mark::Close);
        self.expect('}', help)?;
        if !self.is_word(0, "from") {
            return Err(self.expected("`from`", help));
        }
        self.next();
        let Some(from) = self.optional_text() else { return Err(self.expected("the path of a file in quotes", help)) };
        self.eat(';');
        Ok(Import { names, from, span: self.since(start) })
    }

    fn imported_name(&mut self, help: &str) -> Rule<ImportedName> {
        let path = self.path("the name of a node", help)?;
        let mut alias = None;
        if self.is_word(0, "as") {
            self.next();
            alias = Some(self.name("a name after `as`", help)?);
        }
        Ok(ImportedName { path, alias })
    }

    fn head(&mut self) -> Rule<Head> {
        let start = self.next().span;
        let title = self.text_token();
        let annotations = self.annotations()?;
        let mut attributes = Vec::new();
        if self.is('{') {
            attributes = self.attribute_block()?;
        }
        self.eat(';');
        Ok(Head { title, annotations, attributes, span: self.since(start) })
    }
}
