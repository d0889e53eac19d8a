//! The commands in a text: programs with their words, as the programs read them.

use std::ops::Range;

use crate::word::{base_name, mark};

/// A program that a text runs, with its words.
///
/// A program that another one runs, such as `rm` in `sudo rm x`, is a command of its own.
///
/// ```
/// use exo_rails_shell::ShellRules;
///
/// let verdict = ShellRules::default().judge("cd src && sudo rm -f 'old file'");
/// let programs: Vec<_> = verdict.commands.iter().map(|command| command.program()).collect();
/// assert_eq!(programs, [Some("cd"), Some("sudo"), Some("rm")]);
/// assert_eq!(verdict.commands[2].inside, Some(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShellCommand {
    /// The program and its arguments, after quotes are removed and variables have their values.
    pub words: Vec<Word>,
    /// The bytes of the command in the text.
    pub range: Range<usize>,
    /// The number of the command that runs this one, such as `sudo` or `sh -c`.
    pub inside: Option<usize>,
    /// Whether the shell itself runs the command, and it starts no program: `cd`, `test`, a function of the text.
    pub is_builtin: bool,
    /// What each word is for the program.
    pub(crate) roles: Vec<Role>,
}

/// What a word is for its program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// The name of the program, a subcommand, or an operand.
    #[default]
    Operand,
    /// One or several options: the first of the names that mean the same.
    Options(Vec<&'static str>),
    /// The value of the option before it.
    Value(&'static str),
    /// The description of the program does not have it, or nothing describes the program.
    Unknown,
}

/// A word of a command: the program's name or an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The value, with marks for what is not known.
    pub(crate) marked: String,
    pub(crate) range: Range<usize>,
}

impl Word {
    /// Returns the value that the program gets, if the text of the command decides it alone.
    ///
    /// A word with a variable that the text does not set, or with a pattern of names, has no value before the command runs.
    ///
    /// ```
    /// use exo_rails_shell::ShellRules;
    ///
    /// let verdict = ShellRules::default().judge(r#"x=1; r\m -f "old file" $x $other"#);
    /// let words: Vec<_> = verdict.commands[0].words.iter().map(|word| word.value()).collect();
    /// assert_eq!(words, [Some("rm"), Some("-f"), Some("old file"), Some("1"), None]);
    /// ```
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        (!mark::in_text(&self.marked)).then_some(self.marked.as_str())
    }

    /// Returns the bytes of the text that the word comes from.
    ///
    /// Words of a command inside a word, such as `rm` in `sh -c "rm x"`, have the bytes of that word if a shell would read
    /// the text differently after it removes the quotes.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }
}

impl ShellCommand {
    /// Returns the name of the program without its directory, if it is known.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.words.first()?.value().map(base_name)
    }
}
