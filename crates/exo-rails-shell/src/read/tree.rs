//! What a text is: a tree of commands and words.

use std::ops::Range;

/// A list of pipelines, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) entries: Vec<Entry>,
}

/// A pipeline in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) commands: Vec<Command>,
    pub(crate) runs: Runs,
    /// The pipeline ends with `&`.
    pub(crate) background: bool,
}

/// When a pipeline of a list runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    Always,
    /// Behind `&&`.
    AfterSuccess,
    /// Behind `||`.
    AfterFailure,
}

/// A command with its redirections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) kind: Kind,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Simple {
        assignments: Vec<Assignment>,
        words: Vec<Word>,
    },
    Group(Program),
    Subshell(Program),
    If {
        branches: Vec<(Program, Program)>,
        otherwise: Option<Program>,
    },
    /// `while` and `until`.
    While {
        condition: Program,
        body: Program,
    },
    /// `for` and `select`. Without values, the loop takes the arguments of the shell.
    For {
        name: String,
        values: Option<Vec<Word>>,
        body: Program,
    },
    /// `for ((…))`.
    Count {
        expressions: Word,
        body: Program,
    },
    Case {
        subject: Word,
        arms: Vec<Arm>,
    },
    Function {
        name: String,
        body: Box<Command>,
    },
    Coprocess(Box<Command>),
    /// `[[ … ]]`.
    Test(Vec<Word>),
    /// `((…))`.
    Arithmetic(Word),
}

/// The patterns of a `case`, and what runs if one matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arm {
    pub(crate) patterns: Vec<Word>,
    pub(crate) body: Program,
}

/// `NAME=value`, `NAME+=value`, `NAME[index]=value`, `NAME=(…)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) appends: bool,
    pub(crate) index: Option<Word>,
    pub(crate) value: Assigned,
    pub(crate) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Assigned {
    Word(Word),
    Array(Vec<Word>),
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    /// The number in front of the operator, or the usual one.
    pub(crate) descriptor: Descriptor,
    pub(crate) operator: Operator,
    /// The file, the descriptor, the text of a here-string, or the lines of a here-document.
    pub(crate) target: Word,
    /// The number of a here-document whose lines were not read yet.
    pub(super) document: Option<usize>,
    pub(crate) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Descriptor {
    Number(u32),
    /// `&>`: the output and the errors.
    OutputAndErrors,
    /// `{NAME}>`: the shell chooses a number, and puts it into a variable.
    Variable(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Read,
    Write,
    Append,
    ReadWrite,
    /// `<&` and `>&`.
    Duplicate,
    Document,
    String,
}

/// A word before its expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) parts: Vec<Part>,
    pub(crate) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Characters that mean themselves, and the byte of the text where they begin if they stand there as they are.
    Text {
        text: String,
        quoted: bool,
        at: Option<usize>,
    },
    /// An unquoted character of a pattern: `*`, `?`, `[`.
    Glob(char),
    /// A pattern such as `@(a|b)`.
    ExtendedGlob(Vec<Word>),
    /// `~` with the name of a user, or with nothing.
    Tilde(String),
    Parameter {
        parameter: Box<Parameter>,
        quoted: bool,
    },
    /// `$(…)` or a text between backquotes.
    Output {
        program: Program,
        quoted: bool,
    },
    /// `<(…)`, and `>(…)` if `reads` is set: the program reads what is written.
    Process {
        program: Program,
        reads: bool,
    },
    /// `$((…))`, with the expansions in it.
    Arithmetic(Vec<Part>),
    /// `{a,b}` and `{1..5}`.
    Braces(Vec<Vec<Part>>),
}

/// `$NAME`, `${NAME}`, `${NAME:-word}` and the like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// A name, a number, or one of `@*#?-$!`.
    pub(crate) name: String,
    /// `${!NAME}`: the variable that the value names.
    pub(crate) indirect: bool,
    /// `${#NAME}`.
    pub(crate) length: bool,
    /// What is between `[` and `]`. `@` and `*` are all elements.
    pub(crate) index: Option<Word>,
    /// The characters behind the name up to the first word: `:-`, `##`, `//`.
    pub(crate) operator: String,
    /// What follows the operator.
    pub(crate) words: Vec<Word>,
}

impl Word {
    /// Returns the text of a word that is one unquoted text.
    pub(crate) fn bare(&self) -> Option<&str> {
        match &self.parts[..] {
            [Part::Text { text, quoted: false, .. }] => Some(text),
            _ => None,
        }
    }
}

impl Program {
    /// Calls a function for each command, also those in compound commands, but not those in words.
    pub(super) fn each_command(&mut self, each: &mut impl FnMut(&mut Command)) {
        for command in self.entries.iter_mut().flat_map(|entry| &mut entry.commands) {
            command.each(each);
        }
    }

    /// Gives everything in the program one place: it comes from a text that is not a part of the command as it stands.
    pub(super) fn at(mut self, place: Range<usize>) -> Self {
        self.each_command(&mut |command| {
            command.span = place.clone();
            for redirect in &mut command.redirects {
                redirect.span = place.clone();
                redirect.target.move_to(&place);
            }
            match &mut command.kind {
                Kind::Simple { assignments, words } => {
                    for word in words {
                        word.move_to(&place);
                    }
                    for assignment in assignments {
                        assignment.span = place.clone();
                        let words = match &mut assignment.value {
                            Assigned::Word(word) => std::slice::from_mut(word),
                            Assigned::Array(words) => words,
                        };
                        for word in words.iter_mut().chain(&mut assignment.index) {
                            word.move_to(&place);
                        }
                    }
                }
                Kind::For { values: Some(words), .. } | Kind::Test(words) => {
                    for word in words {
                        word.move_to(&place);
                    }
                }
                Kind::Case { subject, arms } => {
                    subject.move_to(&place);
                    for pattern in arms.iter_mut().flat_map(|arm| &mut arm.patterns) {
                        pattern.move_to(&place);
                    }
                }
                Kind::Count { expressions: word, .. } | Kind::Arithmetic(word) => word.move_to(&place),
                _ => {}
            }
        });
        self
    }
}

impl Command {
    fn each(&mut self, each: &mut impl FnMut(&mut Self)) {
        each(self);
        match &mut self.kind {
            Kind::Group(program) | Kind::Subshell(program) => program.each_command(each),
            Kind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    condition.each_command(each);
                    body.each_command(each);
                }
                if let Some(program) = otherwise {
                    program.each_command(each);
                }
            }
            Kind::While { condition, body } => {
                condition.each_command(each);
                body.each_command(each);
            }
            Kind::For { body, .. } | Kind::Count { body, .. } => body.each_command(each),
            Kind::Case { arms, .. } => arms.iter_mut().for_each(|arm| arm.body.each_command(each)),
            Kind::Function { body, .. } | Kind::Coprocess(body) => body.each(each),
            Kind::Simple { .. } | Kind::Test(_) | Kind::Arithmetic(_) => {}
        }
    }
}

impl Word {
    fn move_to(&mut self, place: &Range<usize>) {
        self.span = place.clone();
        let parts = std::mem::take(&mut self.parts);
        self.parts = parts.into_iter().map(|part| part.at(place.clone())).collect();
    }
}

impl Part {
    /// See [`Program::at`].
    pub(super) fn at(self, place: Range<usize>) -> Self {
        let all = |parts: Vec<Self>| parts.into_iter().map(|part| part.at(place.clone())).collect();
        match self {
            Self::Text { text, quoted, .. } => Self::Text { text, quoted, at: None },
            Self::Output { program, quoted } => Self::Output { program: program.at(place), quoted },
            Self::Process { program, reads } => Self::Process { program: program.at(place), reads },
            Self::Arithmetic(parts) => Self::Arithmetic(all(parts)),
            Self::Braces(alternatives) => Self::Braces(alternatives.into_iter().map(all).collect()),
            Self::ExtendedGlob(mut words) => {
                for word in &mut words {
                    word.move_to(&place);
                }
                Self::ExtendedGlob(words)
            }
            Self::Parameter { mut parameter, quoted } => {
                parameter.words.iter_mut().chain(&mut parameter.index).for_each(|word| word.move_to(&place));
                Self::Parameter { parameter, quoted }
            }
            other @ (Self::Glob(_) | Self::Tilde(_)) => other,
        }
    }
}
