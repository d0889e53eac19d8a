//! What the formatter needs to know about tokens: where statements begin, and what brackets mean.

/// What the parser found at a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A statement, an attribute or an import begins here.
    Statement,
    /// `{` with statements on their own lines.
    Block,
    /// `[` or `{` of a value, or `{` of an import.
    List,
    /// The end of a block or a list.
    Close,
    /// The text before the label of an arrow.
    LabelStart,
    /// An arrow, or the end of one with a label.
    Arrow,
    /// The `<` of a type.
    TypeStart,
    /// The minus of a negative number.
    Minus,
}

/// The marks of a file, each with the first byte of its token, in the order of the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    marks: Vec<(usize, Mark)>,
}

impl Layout {
    pub(crate) fn mark(&mut self, at: usize, mark: Mark) {
        self.marks.push((at, mark));
    }

    /// Sorts the marks. A token may have two, such as an arrow at which a statement begins.
    pub(crate) fn finish(mut self) -> Self {
        self.marks.sort_by_key(|(at, _)| *at);
        self
    }

    pub(crate) fn has(&self, at: usize, mark: Mark) -> bool {
        let first = self.marks.partition_point(|(other, _)| *other < at);
        self.marks
            .get(first..)
            .is_some_and(|rest| rest.iter().take_while(|(other, _)| *other == at).any(|(_, m)| *m == mark))
    }
}
