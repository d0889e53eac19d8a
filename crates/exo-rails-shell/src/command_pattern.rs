//! Patterns of commands, such as `git push --force` and `tar -xzf *`.

use std::ops::Range;

use exo_rails_text::spelling::folded;

use crate::command::{Role, ShellCommand, Word};
use crate::knowledge::Node;
use crate::lower::roles;
use crate::pattern::{Holds, glob, glob_plain};
use crate::word::{base_name, mark};

/// The first words of commands. See [`ShellRule::command`](crate::ShellRule::command).
///
/// ```
/// use exo_rails_shell::{CommandPattern, Holds, ShellRules};
///
/// let pattern = CommandPattern::new("tar -xzf *")?;
/// let matches = |text: &str| pattern.catches(&ShellRules::default().judge(text).commands[0]);
/// for text in ["tar xzf a.tgz", "tar -x -z --file=a.tgz", "tar --extract --gzip -f a.tgz -C out", "/usr/bin/tar zxf a.tgz"] {
///     assert_eq!(matches(text), Holds::Yes, "{text}");
/// }
/// assert_eq!(matches("tar czf a.tgz src"), Holds::No);
/// assert_eq!(matches("tar -x$options"), Holds::Maybe);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct CommandPattern {
    program: String,
    /// The subcommands and operands.
    operands: Vec<String>,
    options: Vec<OptionPattern>,
}

/// An option with its names, and the pattern of its value.
#[derive(Clone, Debug)]
struct OptionPattern {
    /// The first of the names that mean the same, or the name in the pattern.
    first: String,
    names: Vec<String>,
    value: Option<String>,
}

impl CommandPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// Returns what to write if the pattern is empty, or is more than the words of one command.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let words: Vec<&str> = pattern.split_whitespace().collect();
        let Some(program) = words.first() else {
            return Err("a command is empty: write its first words, such as `git push`".to_owned());
        };
        if let Some(operator) =
            words.iter().find(|word| word.contains(['|', ';', '&', '<', '>', '`', '$', '\'', '"', '\\']))
        {
            return Err(format!(
                "`{operator}` is not a word of a simple command: write the first words of one command, such as `git push`"
            ));
        }
        let node = Node::program(base_name(program));
        let mut pattern = Self { program: (*program).to_owned(), operands: Vec::new(), options: Vec::new() };
        for (role, word) in roles(&words).into_iter().zip(&words).skip(1) {
            match role {
                Role::Options(firsts) => {
                    let attached =
                        word.split_once('=').filter(|_| word.starts_with("--")).map(|(_, value)| value.to_owned());
                    let count = firsts.len();
                    for (number, first) in firsts.into_iter().enumerate() {
                        let names = node.map_or_else(Vec::new, |node| node.names_of(first, &words));
                        let value = attached.clone().filter(|_| number + 1 == count);
                        pattern.options.push(OptionPattern { first: first.to_owned(), names, value });
                    }
                }
                Role::Value(first) => {
                    if let Some(option) = pattern.options.iter_mut().rfind(|option| option.first == first) {
                        option.value = Some((*word).to_owned());
                    }
                }
                Role::Unknown if word.starts_with('-') => {
                    let (name, value) = word.split_once('=').map_or((*word, None), |(name, value)| (name, Some(value)));
                    let (first, names) = (name.to_owned(), vec![name.to_owned()]);
                    pattern.options.push(OptionPattern { first, names, value: value.map(str::to_owned) });
                }
                Role::Unknown | Role::Operand => pattern.operands.push((*word).to_owned()),
            }
        }
        Ok(pattern)
    }

    /// Returns whether a command certainly begins with the words of the pattern, for a rule that lets commands run.
    ///
    /// The result is `None` if it does not, and otherwise the bytes of the words that the pattern does not name: further options with
    /// their values. Operands behind those of the pattern are named. A pattern that is only a program names all of its words.
    ///
    /// ```
    /// use exo_rails_shell::{CommandPattern, ShellRules};
    ///
    /// let pattern = CommandPattern::new("git push")?;
    /// let allows = |text: &str| pattern.allows(&ShellRules::default().judge(text).commands[0]);
    /// assert_eq!(allows("git push origin main"), Some(vec![]));
    /// assert_eq!(allows("git push origin --force"), Some(vec![16..23]));
    /// assert_eq!(allows("git stash push"), None);
    /// assert_eq!(allows("/tmp/git push"), None);
    /// # Ok::<(), String>(())
    /// ```
    #[must_use]
    pub fn allows(&self, command: &ShellCommand) -> Option<Vec<Range<usize>>> {
        let is_word = |pattern: &str, word: &Word| word.value().is_some_and(|value| glob_plain(pattern, value));
        let (program, rest) = command.words.split_first()?;
        if !is_word(&self.program, program) {
            return None;
        }
        let roles = || rest.iter().zip(command.roles.iter().skip(1));
        // An option that nothing describes may take the next word as its value.
        let is_open = |word: &Word, role: &Role| *role == Role::Unknown && word.marked.starts_with('-');
        let is_named_here = |word: &Word| self.options.iter().any(|option| word.marked.starts_with(&option.first));
        let mut operands = roles().filter(|(word, role)| match role {
            Role::Operand => true,
            Role::Unknown => !is_open(word, role) || !is_named_here(word),
            Role::Options(_) | Role::Value(_) => false,
        });
        for pattern in &self.operands {
            if !operands.next().is_some_and(|(word, role)| !is_open(word, role) && is_word(pattern, word)) {
                return None;
            }
        }
        let has = |option: &OptionPattern| {
            roles().enumerate().any(|(place, (word, role))| match role {
                Role::Options(firsts) if firsts.iter().any(|first| *first == option.first) => {
                    let value = rest.get(place + 1).zip(command.roles.get(place + 2));
                    let value = value.filter(|(_, role)| matches!(role, Role::Value(first) if *first == option.first));
                    option.value.as_deref().is_none_or(|pattern| match value {
                        Some((value, _)) => is_word(pattern, value),
                        None => is_word(&format!("*{pattern}"), word),
                    })
                }
                Role::Unknown => {
                    let value = option.value.as_deref().map(|value| format!("{}={value}", option.first));
                    is_word(value.as_deref().unwrap_or(&option.first), word)
                }
                _ => false,
            })
        };
        if !self.options.iter().filter(|option| option.first != "-*").all(has) {
            return None;
        }
        let is_whole_program = self.operands.is_empty() && self.options.is_empty();
        if is_whole_program || self.options.iter().any(|option| option.first == "-*") {
            return Some(Vec::new());
        }
        let is_named = |first: &str| self.options.iter().any(|option| option.first == first);
        let open = roles().filter(|(word, role)| match role {
            Role::Operand => false,
            // `of=FILE` of `dd` is like an operand.
            Role::Options(firsts) => word.marked.starts_with('-') && !firsts.iter().all(|first| is_named(first)),
            Role::Value(first) => !is_named(first),
            Role::Unknown => {
                let name = word.marked.split('=').next().unwrap_or_default();
                name.starts_with('-') && !is_named(name)
            }
        });
        Some(open.map(|(word, _)| word.range.clone()).collect())
    }

    /// Returns whether the pattern certainly names the words in `range`, a place in bytes of the text, for a rule that lets
    /// commands run.
    ///
    /// It does where [`allows`](Self::allows) holds and leaves none of these words open.
    ///
    /// ```
    /// use exo_rails_shell::{CommandPattern, ShellRules};
    ///
    /// let pattern = CommandPattern::new("git push")?;
    /// let verdict = ShellRules::default().judge("git push origin --force");
    /// assert!(pattern.names(&verdict.commands[0], &(9..15)));
    /// assert!(!pattern.names(&verdict.commands[0], &(16..23)));
    /// # Ok::<(), String>(())
    /// ```
    #[must_use]
    pub fn names(&self, command: &ShellCommand, range: &Range<usize>) -> bool {
        let is_apart = |word: &Range<usize>| word.end <= range.start || range.end <= word.start;
        self.allows(command).is_some_and(|open| open.iter().all(is_apart))
    }

    /// Returns whether a command may begin with the words of the pattern, for a rule that stops commands.
    ///
    /// It also holds for a program with its directory, for names in another case, for options in every spelling and at every place, and
    /// for operands with options between them.
    #[must_use]
    pub fn catches(&self, command: &ShellCommand) -> Holds {
        let Some((program, rest)) = command.words.split_first() else { return Holds::No };
        let program = matches(&self.program, base_name(&program.marked), true);
        if program == Holds::No {
            return Holds::No;
        }
        let options = self.options.iter().map(|option| option.is_in(command)).min().unwrap_or(Holds::Yes);
        program.min(options).min(self.has_operands(rest))
    }

    /// Returns whether the operands of the pattern are the first operands of the command. A word after an option may be its
    /// value or an operand.
    fn has_operands(&self, words: &[Word]) -> Holds {
        // The best answer for each number of operands that are found.
        let mut best = vec![Holds::No; self.operands.len() + 1];
        best[0] = Holds::Yes;
        let mut after_option = false;
        for word in words {
            let mut next = vec![Holds::No; best.len()];
            for (found, so_far) in best.iter().enumerate().filter(|(_, so_far)| **so_far > Holds::No) {
                let is_open = mark::in_text(&word.marked);
                let (is_it, is_skipped) = match self.operands.get(found) {
                    None => (Holds::No, Holds::Yes),
                    Some(operand) => {
                        let is_option = word.marked.starts_with('-') || after_option || word.marked.is_empty();
                        let may_vanish = if is_open { Holds::Maybe } else { Holds::No };
                        (matches(operand, &word.marked, false), if is_option { Holds::Yes } else { may_vanish })
                    }
                };
                next[found] = next[found].max((*so_far).min(is_skipped));
                if let Some(more) = next.get_mut(found + 1) {
                    *more = (*more).max((*so_far).min(is_it));
                }
            }
            best = next;
            after_option = word.marked.starts_with('-') && !word.marked.contains('=');
        }
        best.last().copied().unwrap_or(Holds::No)
    }
}

/// Matches a word in every spelling.
fn matches(pattern: &str, word: &str, is_program: bool) -> Holds {
    let pattern = pattern.to_lowercase();
    let pattern = if is_program { base_name(&pattern) } else { pattern.as_str() };
    if mark::in_text(word) {
        return glob(pattern, &word.to_lowercase());
    }
    let name = |word: &str| if is_program { word.trim_end_matches(".exe").to_owned() } else { word.to_owned() };
    let is_it = folded(word).iter().any(|word| glob_plain(pattern, &name(word)));
    if is_it { Holds::Yes } else { Holds::No }
}

impl OptionPattern {
    /// Returns whether a command has the option: `--force` is also `--forc` and `--force=x`, and `-f` is also in `-rf`.
    fn is_in(&self, command: &ShellCommand) -> Holds {
        let rest = command.words.get(1..).unwrap_or_default();
        if self.first == "-*" {
            return Holds::Yes;
        }
        let described = command.roles.iter().any(|role| match role {
            Role::Options(firsts) => firsts.iter().any(|first| *first == self.first),
            _ => false,
        });
        let value = || {
            let Some(pattern) = &self.value else { return Holds::Yes };
            Holds::any(rest.iter().map(|word| glob(&format!("*{pattern}"), &word.marked)))
        };
        if described || self.names.iter().any(|name| is_spelled(rest, name)) {
            return value();
        }
        // A variable that the text does not set is a value, and not an option. `-$x` is one.
        let may = rest.iter().any(|word| word.marked.starts_with('-') && mark::in_text(&word.marked));
        if may { Holds::Maybe.min(value()) } else { Holds::No }
    }
}

/// Returns whether words have an option, without a look at what the program reads.
fn is_spelled(words: &[Word], option: &str) -> bool {
    let is_long = option.starts_with("--");
    let mut known = words.iter().filter_map(Word::value);
    if is_long {
        return known.any(|word| {
            let name = word.split('=').next().unwrap_or(word);
            name == option || (name.len() > 3 && option.starts_with(name))
        });
    }
    let letters = || {
        let clusters =
            words.iter().filter_map(Word::value).filter(|word| word.starts_with('-') && !word.starts_with("--"));
        clusters.flat_map(|word| word.chars().skip(1))
    };
    known.any(|word| word == option) || option.chars().skip(1).all(|letter| letters().any(|c| c == letter))
}
