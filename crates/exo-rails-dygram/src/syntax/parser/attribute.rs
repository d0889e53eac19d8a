//! Attributes, their types and their values.

use super::{Parser, Rule};
use crate::syntax::{Arrow, Attribute, Mark, TokenKind, Type, TypeKind, Value, ValueKind};

const VALUE: &str = "write a text in quotes, a number, a name, `[a, b]` or `{ a: 1; }`";

impl Parser<'_> {
    pub(super) fn attribute(&mut self) -> Rule<Attribute> {
        let name = self.name("the name of an attribute", "write an attribute as `limit<number>: 3;`")?;
        let ty = if self.is('<') { Some(self.type_in_brackets()?) } else { None };
        let value = if self.eat(':') { Some(self.value()?) } else { None };
        let span = self.since(name.span);
        self.end_of_attribute()?;
        Ok(Attribute { name, ty, value, span })
    }

    /// An attribute ends with `;`, which may be missing before `}` and at the end of a line.
    fn end_of_attribute(&mut self) -> Rule<()> {
        let may_end = self.is('}') || self.peek().kind == TokenKind::End || self.peek().kind == TokenKind::Name;
        if self.eat(';') || may_end || self.begins_line() {
            return Ok(());
        }
        Err(self.expected("`;`", "write `;` after the value, and put texts of several words in quotes"))
    }

    /// Reads attributes in braces.
    pub(super) fn attribute_block(&mut self) -> Rule<Vec<Attribute>> {
        self.deeper(|parser| Ok(parser.attributes(Mark::Block)))
    }

    fn attributes(&mut self, mark: Mark) -> Vec<Attribute> {
        let opening = self.peek().span;
        self.mark(mark);
        self.next();
        let mut attributes = Vec::new();
        while !self.is('}') {
            if self.peek().kind == TokenKind::End {
                self.report(opening, "this `{` is not closed", "write `}` where the attributes end");
                return attributes;
            }
            let begun = self.at;
            self.mark(Mark::Statement);
            match self.attribute() {
                Ok(attribute) => attributes.push(attribute),
                Err(_) => self.skip_statement(begun),
            }
        }
        self.mark(Mark::Close);
        self.next();
        attributes
    }

    pub(super) fn value(&mut self) -> Rule<Value> {
        let start = self.peek().span;
        let kind = match self.peek().kind {
            TokenKind::Text | TokenKind::UnclosedText => ValueKind::Text(self.text_token()),
            TokenKind::Number => ValueKind::Number(self.next().span.of(self.text).to_owned()),
            TokenKind::LabelStart(Arrow::Single) => self.negative()?,
            TokenKind::External => {
                ValueKind::External(self.next().span.of(self.text).trim_start_matches('#').to_owned())
            }
            TokenKind::Name => ValueKind::Name(self.path("a value", VALUE)?),
            TokenKind::Punctuation('[') => ValueKind::List(self.deeper(Self::list)?),
            TokenKind::Punctuation('{') => ValueKind::Object(self.deeper(|parser| Ok(parser.attributes(Mark::List)))?),
            _ => return Err(self.expected("a value", VALUE)),
        };
        Ok(Value { kind, span: self.since(start) })
    }

    fn negative(&mut self) -> Rule<ValueKind> {
        self.mark(Mark::Minus);
        self.next();
        if self.peek().kind != TokenKind::Number {
            return Err(self.expected("a number after `-`", VALUE));
        }
        Ok(ValueKind::Number(format!("-{}", self.next().span.of(self.text))))
    }

    fn list(&mut self) -> Rule<Vec<Value>> {
        self.mark(Mark::List);
        self.next();
        let mut values = Vec::new();
        while !self.is(']') {
            values.push(self.value()?);
            if !self.is(']') {
                self.expect(',', "write `,` between values, and `]` after the last one")?;
            }
        }
        self.mark(Mark::Close);
        self.next();
        Ok(values)
    }

    fn type_in_brackets(&mut self) -> Rule<Type> {
        self.mark(Mark::TypeStart);
        self.next();
        let ty = self.ty()?;
        self.expect('>', "write `>` after the type, such as `limit<number>: 3;`")?;
        Ok(ty)
    }

    fn ty(&mut self) -> Rule<Type> {
        self.deeper(|parser| if parser.is_text(0) { Ok(parser.literals()) } else { parser.named_type() })
    }

    fn named_type(&mut self) -> Rule<Type> {
        let help = "write a type such as `string`, `Array<number>`, `string?` or `\"low\" | \"high\"`";
        let name = self.path("a type", help)?;
        let start = name.span;
        let mut arguments = Vec::new();
        if self.is('<') {
            self.mark(Mark::TypeStart);
            self.next();
            arguments.push(self.ty()?);
            while self.eat(',') {
                arguments.push(self.ty()?);
            }
            self.expect('>', help)?;
        }
        if self.is('|') {
            return Err(self.expected("`>`", "only texts can be alternatives, such as `\"low\" | \"high\"`"));
        }
        let is_optional = self.eat('?');
        Ok(Type { kind: TypeKind::Named(name, arguments), is_optional, span: self.since(start) })
    }

    fn literals(&mut self) -> Type {
        let start = self.peek().span;
        let mut texts = vec![self.text_token()];
        while self.is('|') && self.is_text(1) {
            self.next();
            texts.push(self.text_token());
        }
        let is_optional = self.eat('?');
        Type { kind: TypeKind::Literals(texts), is_optional, span: self.since(start) }
    }
}
