//! Annotations.

use super::{Parser, Rule};
use crate::syntax::{Annotation, Argument, Name, Value};

const HELP: &str = "write `@name`, `@name(\"value\")` or `@name(first: 1; second: 2)`, with other texts in quotes";

impl Parser<'_> {
    pub(super) fn annotations(&mut self) -> Rule<Vec<Annotation>> {
        let mut annotations = Vec::new();
        while self.is('@') {
            annotations.push(self.annotation()?);
        }
        Ok(annotations)
    }

    pub(super) fn annotation(&mut self) -> Rule<Annotation> {
        let start = self.next().span;
        let name = self.name("the name of an annotation", HELP)?;
        let mut argument = Argument::None;
        if self.eat('(') {
            let read = self.argument().and_then(|argument| self.expect(')', HELP).map(|()| argument));
            argument = read.inspect_err(|_| self.skip_argument())?;
        }
        Ok(Annotation { name, argument, span: self.since(start) })
    }

    fn argument(&mut self) -> Rule<Argument> {
        let is_named = self.peek().kind == crate::syntax::TokenKind::Name && (self.is_at(1, ':') || self.is_at(1, ';'));
        if !is_named {
            return self.value().map(Argument::Value);
        }
        let mut parameters = vec![self.parameter()?];
        while self.eat(';') && !self.is(')') {
            parameters.push(self.parameter()?);
        }
        Ok(Argument::Parameters(parameters))
    }

    fn parameter(&mut self) -> Rule<(Name, Option<Value>)> {
        let name = self.name("the name of a parameter", HELP)?;
        let value = if self.eat(':') { Some(self.value()?) } else { None };
        Ok((name, value))
    }
}
