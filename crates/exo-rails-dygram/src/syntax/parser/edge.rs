//! Edges, their arrows and labels.

use super::{Parser, Rule};
use crate::diagnostic::Span;
use crate::syntax::{Annotation, Arrow, Edge, LabelPart, Mark, Name, Path, Segment, TokenKind, Value, ValueKind};

/// What is in an arrow.
type Label = (Vec<LabelPart>, Vec<Annotation>);

impl Parser<'_> {
    pub(super) fn edge(&mut self) -> Rule<Edge> {
        let start = self.peek().span;
        let sources = self.nodes_of_edge("write an edge as `plan -> review;`")?;
        if !self.peek_at(usize::from(self.is_text(0))).kind.begins_arrow() {
            return Err(self.expected("an arrow", "write an edge as `plan, draft -> review;`"));
        }
        self.chain(start, sources)
    }

    /// Reads an edge from the node whose body it is in: `-> review;`
    pub(super) fn edge_of_block(&mut self) -> Rule<Edge> {
        let start = self.peek().span;
        self.chain(start, Vec::new())
    }

    fn chain(&mut self, start: Span, sources: Vec<Path>) -> Rule<Edge> {
        let mut segments = Vec::new();
        while self.peek_at(usize::from(self.is_text(0))).kind.begins_arrow() {
            segments.push(self.segment()?);
        }
        let mut attributes = Vec::new();
        if self.is('{') {
            attributes = self.attribute_block()?;
        }
        let span = self.since(start);
        self.eat(';');
        Ok(Edge { sources, segments, attributes, span })
    }

    fn nodes_of_edge(&mut self, help: &str) -> Rule<Vec<Path>> {
        let mut nodes = vec![self.path("the name of a node", help)?];
        while self.eat(',') {
            nodes.push(self.path("the name of a node after the comma", help)?);
        }
        Ok(nodes)
    }

    fn segment(&mut self) -> Rule<Segment> {
        let source_multiplicity = self.optional_text();
        let start = self.peek().span;
        let (arrow, (label, annotations)) = self.arrow()?;
        let span = self.since(start);
        let target_multiplicity = self.optional_text();
        let targets = self.nodes_of_edge("write the target of the arrow, such as `plan -> review;`")?;
        Ok(Segment { source_multiplicity, arrow, label, annotations, target_multiplicity, targets, span })
    }

    fn arrow(&mut self) -> Rule<(Arrow, Label)> {
        match self.peek().kind {
            TokenKind::LabelStart(arrow) => {
                self.mark(Mark::LabelStart);
                self.next();
                Ok((arrow, self.label(arrow)?))
            }
            TokenKind::LabelledBoth => {
                self.mark(Mark::Arrow);
                Ok((Arrow::Both, (vec![self.label_of_both()], Vec::new())))
            }
            TokenKind::Arrow(arrow) => {
                self.mark(Mark::Arrow);
                self.next();
                Ok((arrow, Label::default()))
            }
            _ => Err(self.expected("an arrow", "write an edge as `plan -> review;`")),
        }
    }

    /// `<--label-->` is one token.
    fn label_of_both(&mut self) -> LabelPart {
        let span = self.next().span;
        let start = span.start + "<--".len();
        let text = span.of(self.text).trim_start_matches("<--").trim_end_matches(['-', '>']).to_owned();
        let span = Span::new(start, start + text.len());
        LabelPart { name: None, value: Value { span, kind: ValueKind::Name(path(text, span)) } }
    }

    fn label(&mut self, arrow: Arrow) -> Rule<Label> {
        let mut label = Label::default();
        loop {
            match self.peek().kind {
                TokenKind::Arrow(end) if end == arrow => {
                    self.mark(Mark::Arrow);
                    self.next();
                    return Ok(label);
                }
                TokenKind::Arrow(end) if end.label_start().is_some() => {
                    let message = format!("the arrow begins as `{arrow}` and ends as `{end}`");
                    let span = self.peek().span;
                    let help = format!("write `{}label{arrow}`", arrow.label_start().unwrap_or_default());
                    self.report(span, message, help);
                    return Err(super::Broken);
                }
                TokenKind::Punctuation('@') => label.1.push(self.annotation()?),
                TokenKind::Punctuation(',') => {
                    self.next();
                }
                _ => label.0.push(self.label_part(arrow)?),
            }
        }
    }

    fn label_part(&mut self, arrow: Arrow) -> Rule<LabelPart> {
        let is_named = self.peek().kind == TokenKind::Name && self.is_at(1, ':');
        let name = if is_named { Some(self.label_name()?) } else { None };
        let is_value = matches!(
            self.peek().kind,
            TokenKind::Text | TokenKind::UnclosedText | TokenKind::Number | TokenKind::Name | TokenKind::External
        );
        let is_other =
            name.is_some() && matches!(self.peek().kind, TokenKind::Punctuation('[' | '{') | TokenKind::LabelStart(_));
        if !is_value && !is_other {
            let what = format!("`{arrow}` at the end of the label");
            return Err(
                self.expected(&what, "put conditions and labels of several words in quotes: `-when: \"count > 3\"->`")
            );
        }
        let value = self.value()?;
        self.eat(';');
        Ok(LabelPart { name, value })
    }

    fn label_name(&mut self) -> Rule<Name> {
        let name = self.name("a name", "write `when: \"count > 3\"`")?;
        self.next();
        Ok(name)
    }
}

fn path(text: String, span: Span) -> Path {
    Path { names: vec![Name { text, span }], span }
}
