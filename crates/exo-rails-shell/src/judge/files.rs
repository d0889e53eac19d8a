//! Files that commands read, write and then run.

use super::Judge;
use crate::config::ProgramConfig;
use crate::matching::{Argument, View};
use crate::place::{Path, Where};
use crate::verdict::Access;
use crate::word::{Word, base_name, mark};

impl Judge<'_> {
    pub(super) fn redirections(&mut self, number: usize) {
        for redirection in self.verdict.commands[number].redirections.clone() {
            let name = match redirection.access {
                Access::Write => ">",
                Access::Read => "<",
            };
            if redirection.access == Access::Write {
                self.note_written(&redirection.path, false);
            }
            let words = [Word::new(name, redirection.path.range()), redirection.path];
            self.rules(number, &words, name, None, &[], None);
        }
    }

    pub(super) fn note_written(&mut self, path: &Word, fetched: bool) {
        let path = self.policy.places.path(&path.value, &self.directory);
        if !matches!(path, Path::Unknown | Path::Outside) {
            self.written.push((path, fetched));
        }
    }

    /// Judges and notes the files that a program writes.
    pub(super) fn files_of(&mut self, number: usize, program: &ProgramConfig, words: &[Word]) {
        if !(program.writes || program.writes_last) && program.fetches.is_empty() && program.outputs.is_empty() {
            return;
        }
        let view = View::new(words, Some(program), &[], &self.policy.places, &self.directory, false);
        let operands: Vec<Word> = view.operands().cloned().collect();
        let may_be_option = view
            .arguments
            .iter()
            .zip(&words[1..])
            .any(|(argument, word)| *argument == Argument::Unclear && (self.policy.strict || word.splits()));
        let fetched: Vec<Word> = program.fetches.iter().flat_map(|option| view.values_of(option)).cloned().collect();
        let mut outputs: Vec<Word> =
            program.outputs.iter().flat_map(|option| view.values_of(option)).cloned().collect();
        drop(view);
        for word in &fetched {
            self.note_written(word, true);
        }
        if fetched.is_empty() && !program.fetches.is_empty() {
            for word in &operands {
                let path = word.value.split(['?', '#']).next().unwrap_or_default();
                self.note_written(&Word::new(base_name(path), word.range()), true);
            }
        }
        if program.writes {
            outputs.extend(operands.iter().cloned());
        } else if program.writes_last && outputs.is_empty() && operands.len() > 1 {
            let sources = &operands[..operands.len() - 1];
            outputs.extend(operands.last().map(|target| self.in_directory(target, sources)));
        } else if program.writes_last {
            outputs = outputs.iter().map(|target| self.in_directory(target, &operands)).collect();
        }
        // `of=x`
        for option in program.outputs.iter().filter(|option| !option.starts_with('-')) {
            let value = |word: &Word| {
                Some(Word::new(word.value.strip_prefix(option.as_str())?.strip_prefix('=')?, word.range()))
            };
            outputs.extend(operands.iter().filter_map(value));
            outputs.extend(operands.iter().filter(|word| word.value.starts_with(mark::UNKNOWN)).cloned());
        }
        if may_be_option && !program.outputs.is_empty() {
            outputs.push(Word::new(mark::SPLITS.to_string(), words[0].range()));
        }
        if program.writes {
            for word in &operands {
                self.note_written(word, false);
            }
        }
        for path in outputs.into_iter().chain(fetched).filter(|path| path.value != "-") {
            let words = [Word::new(">", path.range()), path];
            self.rules(number, &words, ">", None, &[], None);
        }
    }

    /// Returns the file that a program writes to a target, which may be a directory.
    pub(super) fn in_directory(&self, target: &Word, sources: &[Word]) -> Word {
        let places = &self.policy.places;
        let place = places.place(&places.path(&target.value, &self.directory));
        let directory = target.value.ends_with('/') || matches!(place, Where::Root | Where::Home | Where::Project);
        if !directory {
            return target.clone();
        }
        let name = sources.first().map_or("new", |source| base_name(source.value.trim_end_matches('/')));
        let name = if matches!(name, "" | "." | "..") || mark::in_text(name) { "new" } else { name };
        Word { value: format!("{}/{name}", target.value.trim_end_matches('/')), ..target.clone() }
    }

    /// Asks about a program file that the same text has written. Shells run what is in it; other languages only if it was
    /// fetched from elsewhere.
    pub(super) fn runs_written(&mut self, number: usize, file: &Word, shell: bool) {
        let path = self.policy.places.path(&file.value, &self.directory);
        if self.written.iter().any(|(written, fetched)| *written == path && (shell || *fetched)) {
            let range = self.verdict.commands[number].range.clone();
            self.unknown("written-program", "the command writes a program and runs it", Some(number), range);
        }
    }
}
