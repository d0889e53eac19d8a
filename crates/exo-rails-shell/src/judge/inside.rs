//! What a command runs: other commands, texts that a shell reads, and code.

use std::ops::Range;

use super::variables::{Variable, is_assignment};
use super::{Around, Judge, Origin, Reads};
use crate::code;
use crate::config::{ProgramConfig, Runs};
use crate::matching::{has_option, takes_value};
use crate::word::{Word, mark};

/// What a command runs.
pub(super) struct Inside<'i, 'p> {
    pub(super) judge: &'i mut Judge<'p>,
    pub(super) number: usize,
    pub(super) words: &'i [Word],
    pub(super) program: &'i ProgramConfig,
    pub(super) around: &'i Around,
}

impl Inside<'_, '_> {
    fn range(&self) -> Range<usize> {
        self.judge.verdict.commands[self.number].range.clone()
    }

    fn unknown(&mut self, reason: &'static str) {
        let (number, range) = (self.number, self.range());
        self.judge.unknown("unknown-program", reason, Some(number), range);
    }

    #[allow(clippy::too_many_lines, reason = "the options of one command line, in their order")]
    pub(super) fn judge(&mut self) {
        let looks_up = |word: &Word| self.program.looks_up.contains(&word.value);
        let mut at = 1;
        let mut text_next = false;
        let mut code_next = false;
        let mut has_code = false;
        let mut has_text = false;
        // The options in front of the operands.
        while let Some(word) = self.words.get(at) {
            if looks_up(word) {
                return;
            }
            if self.program.modules.contains(&word.value) {
                return self.module(at + 1);
            }
            if self.program.assignments && is_assignment(&word.value) {
                let (judge, number, word) = (&mut *self.judge, self.number, word.clone());
                judge.assignment(number, &word, false, "");
                at += 1;
                continue;
            }
            if word.value == "--" {
                at += 1;
                break;
            }
            let option = word.value.len() > 1
                && (word.value.starts_with('-') || word.value.starts_with('+') && self.program.runs == Runs::Script);
            if !option {
                if word.may_begin_with_dash() && self.program.runs != Runs::Nothing {
                    if self.program.skip == 0 || word.splits() {
                        return self.unknown_operands();
                    }
                    if self.judge.policy.strict {
                        self.unknown_operands();
                    }
                }
                break;
            }
            if mark::in_text(&word.value) && self.program.runs != Runs::Nothing {
                return self.unknown_operands();
            }
            if self.program.exec_options.contains(&word.value) {
                break;
            }
            let (text, attached) = has_option(&word.value, &self.program.text_options);
            let (code, code_attached) = has_option(&word.value, &self.program.code_options);
            if text && self.program.runs == Runs::Script {
                // A shell takes the program from the first operand, behind all options.
                text_next = true;
            } else if let Some(attached) = attached.filter(|_| text) {
                self.text_of(&Word::new(attached, word.range()));
                has_text = true;
            } else if text {
                at += 1;
                if let Some(word) = self.words.get(at) {
                    self.text_of(&word.clone());
                }
                has_text = true;
            } else if let Some(attached) = code_attached.filter(|_| code) {
                self.code(&attached);
                has_code = true;
            } else if code {
                code_next = true;
                at += 1;
                break;
            } else if takes_value(&word.value, &self.program.values) {
                at += 1;
            }
            at += 1;
        }
        let Some(at) = self.behind_subcommand(at) else { return };
        let rest = self.words.get(at..).unwrap_or_default();
        if code_next {
            match rest.first() {
                Some(word) => self.code(&word.value.clone()),
                None => return,
            }
            self.more_code(&rest[1..]);
            return;
        }
        if text_next {
            if let Some(word) = rest.first() {
                self.text_of(&word.clone());
            }
            return;
        }
        if has_text && self.program.runs == Runs::Script || has_code {
            return;
        }
        let mut rest: Vec<Word> = rest.get(self.program.skip..).unwrap_or_default().to_vec();
        if self.program.skip > 0 && rest.first().is_some_and(|word| word.value == "--") {
            rest.remove(0);
        }
        if let [option, text, ..] = rest.as_slice()
            && self.program.skip > 0
            && self.program.text_options.contains(&option.value)
        {
            return self.text_of(&text.clone());
        }
        if self.program.code_operand
            && let Some(word) = rest.first()
        {
            self.code(&word.value);
        }
        match self.program.runs {
            Runs::Nothing => self.executes(),
            Runs::Command => self.command(rest),
            Runs::Text => self.joined(&rest),
            Runs::First => {
                if let Some(word) = rest.first() {
                    self.text_of(word);
                }
            }
            Runs::Each => rest.iter().for_each(|word| self.text_of(word)),
            Runs::Script => self.script(&rest),
        }
    }

    /// Judges a module as the program of its name, if the rule set has rules about that.
    fn module(&mut self, at: usize) {
        let words = self.words.get(at..).unwrap_or_default();
        let Some(module) = words.first() else { return };
        if mark::is_open(&module.value) {
            return self.unknown_operands();
        }
        if self.judge.policy.named(&module.value).is_some_and(|named| !named.rules.is_empty()) {
            self.command(words.to_vec());
        }
    }

    /// Returns where the operands begin: for a program with subcommands, behind the subcommand and its options.
    fn behind_subcommand(&mut self, at: usize) -> Option<usize> {
        if self.program.subcommands.is_empty() {
            return Some(at);
        }
        let rest = self.words.get(at..).unwrap_or_default();
        let length = self.program.subcommands.iter().find_map(|subcommand| {
            let words: Vec<&str> = subcommand.split(' ').collect();
            let same = rest.len() >= words.len() && rest.iter().zip(&words).all(|(word, name)| word.value == *name);
            same.then_some(words.len())
        });
        let mut at = if let Some(length) = length {
            at + length
        } else {
            // A subcommand that is not known may be one that runs something.
            if rest.first().is_some_and(|word| !word.is_literal()) {
                self.unknown_operands();
            }
            return None;
        };
        while let Some(word) = self.words.get(at) {
            if word.value == "--" {
                return Some(at + 1);
            }
            if !word.value.starts_with('-') {
                break;
            }
            let (text, attached) = has_option(&word.value, &self.program.text_options);
            if text {
                let text = match attached {
                    Some(attached) => Some(Word::new(attached, word.range())),
                    None => self.words.get(at + 1).cloned(),
                };
                if let Some(text) = text {
                    self.text_of(&text);
                }
                return None;
            }
            at += if takes_value(&word.value, &self.program.values) { 2 } else { 1 };
        }
        Some(at)
    }

    /// Code behind further options, as in `sed -e … -e …`.
    fn more_code(&mut self, rest: &[Word]) {
        let mut next = false;
        for word in rest {
            if std::mem::take(&mut next) {
                self.code(&word.value.clone());
                continue;
            }
            let (code, attached) = has_option(&word.value, &self.program.code_options);
            match attached.filter(|_| code) {
                Some(attached) => self.code(&attached),
                None => next = code,
            }
        }
    }

    fn unknown_operands(&mut self) {
        self.unknown("what the program runs is not known before the command runs");
    }

    fn deeper(&self) -> Around {
        Around { inside: Some(self.number), depth: self.around.depth + 1, reads: self.around.reads.clone() }
    }

    fn command(&mut self, mut words: Vec<Word>) {
        if words.is_empty() {
            return;
        }
        if self.program.appends {
            self.append(&mut words);
        }
        let around = self.deeper();
        self.judge.nested(self.number, words, &around);
    }

    /// Puts unknown arguments where the program puts what it reads.
    fn append(&mut self, words: &mut Vec<Word>) {
        let options = &self.program.placeholders;
        let own = self.words.iter().zip(self.words.iter().skip(1).map(Some).chain([None])).find_map(|(word, next)| {
            let (found, attached) = has_option(&word.value, options);
            found.then(|| attached.or_else(|| next.map(|next| next.value.clone())))?
        });
        let mut replaced = false;
        for word in words.iter_mut() {
            for placeholder in own.as_deref().into_iter().chain(["{}"]).filter(|placeholder| !placeholder.is_empty()) {
                if word.value.contains(placeholder) {
                    word.value = word.value.replace(placeholder, &mark::UNKNOWN.to_string());
                    replaced = true;
                }
            }
        }
        if !replaced {
            let range = self.range();
            words.push(Word::new(mark::SPLITS.to_string(), range));
        }
    }

    fn joined(&mut self, words: &[Word]) {
        if words.is_empty() {
            return;
        }
        let text = words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ");
        let range = words[0].range.start..words[words.len() - 1].range.end;
        match words {
            [word] => self.text_of(word),
            _ => self.text(&text, &Origin::Within(range)),
        }
    }

    /// Judges a word as a shell program.
    fn text_of(&mut self, word: &Word) {
        let raw = self.judge.text.get(word.range()).unwrap_or_default();
        let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
        let as_written =
            raw.len() >= 2 && raw.starts_with(['\'', '"']) && raw.ends_with(['\'', '"']) && inner == word.value;
        let origin = if as_written { Origin::At(word.range.start + 1) } else { Origin::Within(word.range()) };
        let value = word.value.clone();
        self.text(&value, &origin);
    }

    fn text(&mut self, text: &str, origin: &Origin) {
        let text = &text.replace(mark::NUMBER, "0");
        if mark::in_text(text) {
            self.unknown("a part of the program that a shell runs is not known before the command runs");
        }
        let around = self.deeper();
        let directory = self.judge.directory.clone();
        if matches!(self.program.runs, Runs::Text | Runs::First) {
            return self.judge.program(text, origin, &around);
        }
        // Another process has its own directory, and variables only as far as they are exported.
        let unknown = self.judge.variables.keys().map(|name| (name.clone(), Variable::Unknown)).collect();
        let variables = std::mem::replace(&mut self.judge.variables, unknown);
        self.judge.program(text, origin, &around);
        self.judge.variables = variables;
        self.judge.directory = directory;
    }

    fn script(&mut self, operands: &[Word]) {
        let file = operands.first().filter(|word| word.value != "-" && word.value != "/dev/stdin");
        if let Some(file) = file {
            let shell = self.program.language.is_none();
            let (number, file) = (self.number, file.clone());
            if mark::is_open(&file.value) || file.value.starts_with("/dev/fd/") || file.value.starts_with("/proc/") {
                self.unknown_operands();
            }
            return self.judge.runs_written(number, &file, shell);
        }
        match self.around.reads.clone() {
            Reads::Plain => {}
            Reads::Text { value, .. } if self.program.language.is_some() => self.code(&value),
            Reads::Text { value, origin } => self.text(&value, &origin),
            Reads::Commands(commands) => match self.judge.echoed(&commands) {
                Some((value, _)) if self.program.language.is_some() => self.code(&value),
                Some((value, range)) => self.text(&value, &Origin::Within(range)),
                None => self.unknown("the program that is run comes from another command"),
            },
        }
    }

    /// Judges the commands of `find -exec`: their `{}` is a file below the directories that `find` searches.
    fn executes(&mut self) {
        if self.program.exec_options.is_empty() {
            return;
        }
        let roots: Vec<Word> =
            self.words.iter().skip(1).take_while(|word| !word.value.starts_with(['-', '(', '!'])).cloned().collect();
        let here = [Word::new(".", self.range())];
        let roots = if roots.is_empty() { &here[..] } else { &roots };
        // The names of files, as far as one `-name` decides them.
        let names: Vec<&str> =
            self.words.windows(2).filter(|pair| pair[0].value == "-name").map(|pair| pair[1].value.as_str()).collect();
        let other =
            self.words.iter().any(|word| matches!(word.value.as_str(), "-o" | "-or" | "!" | "-not" | "," | "-iname"));
        let name = match names.as_slice() {
            [name] if !other && !name.contains(['?', '[', '\\', '/']) && !mark::in_text(name) => {
                name.replace('*', &mark::STAR.to_string())
            }
            _ => mark::STAR.to_string(),
        };
        let mut rest = self.words;
        while let Some(at) = rest.iter().position(|word| self.program.exec_options.contains(&word.value)) {
            let command = &rest[at + 1..];
            let end = command.iter().position(|word| matches!(word.value.as_str(), ";" | "+")).unwrap_or(command.len());
            for root in roots {
                let found = format!("{}/{name}", root.value.trim_end_matches('/'));
                let words =
                    command[..end].iter().map(|word| Word { value: word.value.replace("{}", &found), ..word.clone() });
                let mut words: Vec<Word> = words.collect();
                if self.program.appends && !command[..end].iter().any(|word| word.value.contains('{')) {
                    words.push(Word::new(found, self.range()));
                }
                if !words.is_empty() {
                    let around = Around { reads: Reads::Plain, ..self.deeper() };
                    self.judge.nested(self.number, words, &around);
                }
            }
            rest = &command[end..];
        }
    }

    fn code(&mut self, code: &str) {
        let Some(language) = self.program.language.as_ref() else { return };
        let policy = self.judge.policy;
        let code = &code.replace(mark::NUMBER, "0");
        if mark::in_text(code) {
            return self.unknown("a part of the code that the program runs is not known before the command runs");
        }
        let harmless = match policy.language(language) {
            Some(rules) => code::is_harmless(code, language, rules),
            None => false,
        };
        if !harmless {
            let (number, range) = (self.number, self.range());
            self.judge.unknown(
                "code",
                "the code that the program runs may have effects outside of it",
                Some(number),
                range,
            );
        }
    }
}

impl Judge<'_> {
    /// Returns what `echo` writes, if it is the only command of a pipeline and its words are known.
    fn echoed(&self, commands: &[usize]) -> Option<(String, Range<usize>)> {
        let [number] = commands else { return None };
        let command = self.verdict.commands.get(*number)?;
        if command.program() != Some("echo") || !command.redirections.is_empty() {
            return None;
        }
        let words = &command.words[1..];
        let plain = |word: &Word| word.is_literal() && !word.value.contains('\\');
        if words.first().is_some_and(|word| word.value.starts_with('-')) || !words.iter().all(plain) {
            return None;
        }
        let text = words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ");
        Some((text, command.range.clone()))
    }
}
