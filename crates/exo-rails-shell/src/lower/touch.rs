//! Programs that nothing describes: what their words could mean.

use std::ops::Range;

use super::field::Field;
use super::hosts::{domain, host_of_address, is_local};
use super::lowering::{Lowering, MOST_DEPTH};
use super::place::Ground;
use super::scope::{Scope, Stream, StreamKind};
use crate::effect::{Effect, EffectKind, EffectPlace};
use crate::knowledge::Node;
use crate::read::{self, Limits};
use crate::word::{base_name, mark, shown};

/// The most lines of a file that are read as commands.
const MOST_LINES: usize = 400;

impl Lowering<'_> {
    /// The name of the program depends on something that is not known.
    pub(super) fn unknown_name(
        &mut self,
        fields: &[Field],
        scope: &mut Scope,
        input: &Stream,
        span: &Range<usize>,
    ) -> Stream {
        let first = &fields[0];
        if first.taint.is_downloaded {
            self.add(EffectKind::RunsDownload, "", &first.span);
        }
        // A pattern may find a known program: `/bin/r?`. A directory that is not known does not change the name.
        let name = base_name(&first.value);
        if !mark::in_text(name) && Node::program(name).is_some() && !first.value.contains(mark::STAR) {
            let mut named = fields.to_vec();
            named[0] = Field::new(name, first.span.clone());
            return self.run(&named, scope, input, span);
        }
        if self.ground.place(&first.value, scope).1 == EffectPlace::Project {
            return self.owned(fields, None, span, |lowering| lowering.file(first, fields, scope, input));
        }
        self.owned(fields, None, span, |lowering| {
            lowering.add(EffectKind::RunsCode, format!("an unknown program: {}", shown(&first.value)), &first.span);
            lowering.touches(&fields[1..], scope);
            Stream::unknown()
        })
    }

    /// Runs a program that nothing describes: what it could touch is possible.
    pub(super) fn unknown(&mut self, fields: &[Field], scope: &mut Scope, input: &Stream) -> Stream {
        let name = shown(&fields[0].value);
        self.add(EffectKind::Unknown, name, &fields[0].span);
        // `ts-prune` prunes nothing.
        let has_verb = fields[0].value.contains("delete") || fields[0].value.contains("destroy");
        self.verbs(if has_verb { fields } else { &fields[1..] });
        self.touches(&fields[1..], scope);
        // What it reads may be a program.
        if let StreamKind::Text(text) = &input.kind {
            let span = &fields[0].span;
            let words = text.lines().take(MOST_LINES).flat_map(str::split_whitespace);
            let words: Vec<Field> = words.map(|word| Field::new(home(word), span.clone())).collect();
            for word in &words {
                self.perhaps(|lowering| lowering.touch(word, scope));
            }
            self.suspect(text, span, scope);
        }
        Stream { kind: StreamKind::Unknown, taint: input.taint }
    }

    /// Words that nothing describes may say what they do: `foo context delete x`.
    pub(super) fn verbs(&mut self, fields: &[Field]) {
        for field in fields {
            let Some(verb) = field.literal().and_then(verb_of_loss) else { continue };
            self.perhaps(|lowering| lowering.add(EffectKind::Loses, format!("what `{verb}` means"), &field.span));
            return;
        }
    }

    /// Adds what words could mean for a program that does not say: places outside of the project, hosts, credentials, commands.
    pub(super) fn touches(&mut self, fields: &[Field], scope: &mut Scope) {
        self.perhaps(|lowering| lowering.all_touch(fields, scope));
    }

    fn all_touch(&mut self, fields: &[Field], scope: &mut Scope) {
        for field in fields {
            if field.taint.is_secret {
                self.add(EffectKind::UsesCredentials, "", &field.span);
            }
            let mut readings = vec![field.clone()];
            if let Some(equals) = field.value.find('=') {
                readings.push(field.from(equals + 1));
            }
            if let Some(at) = field.value.strip_prefix('@').map(|_| 1) {
                readings.push(field.from(at));
            }
            if field.value.starts_with('-') && !field.value.starts_with("--") && field.value.len() > 2 {
                readings.push(field.from(2));
            }
            for reading in readings {
                self.touch(&reading, scope);
            }
        }
        // The words together may be a command: `foo rm -rf ~`.
        for begin in 0..fields.len() {
            let is_program = fields[begin].literal().is_some_and(|name| Node::program(base_name(name)).is_some());
            if is_program && self.depth < MOST_DEPTH - 2 {
                let mut inside = scope.clone();
                self.depth += 1;
                let found = self.tried(|lowering| {
                    lowering.run(&fields[begin..], &mut inside, &Stream::unknown(), &fields[begin].span);
                });
                self.depth -= 1;
                // Most words are not commands. So only harmful effects count.
                self.effects.extend(found.into_iter().filter(|effect| !Ground::is_harmless(effect)));
                break;
            }
        }
    }

    /// Adds what the text has written to a file, or to files in a directory, if it reads as harmful commands: somebody may run it.
    pub(super) fn written(&mut self, path: &Field, scope: &Scope) {
        let (object, place) = self.ground.place(&path.value, scope);
        // Objects below `/tmp` have another beginning.
        let object = if place == EffectPlace::Root { object.replace("/tmp", "$TMPDIR") } else { object };
        let is_below = |file: &str| {
            file == object
                || place == EffectPlace::WholeProject && !file.starts_with(['/', '~', '$'])
                || file.strip_prefix(object.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        let texts =
            scope.files.iter().filter(|(file, _)| is_below(file)).filter_map(|(_, stream)| match &stream.kind {
                StreamKind::Text(text) => Some(text.clone()),
                _ => None,
            });
        let mut texts: Vec<String> = texts.collect();
        texts.sort();
        for text in texts {
            self.suspect(&text, &path.span, scope);
        }
    }

    /// Reads the lines of a file and the texts between quotes in it as commands, and keeps what is harmful.
    fn suspect(&mut self, text: &str, span: &Range<usize>, scope: &Scope) {
        let strip = |part: &str| part.trim_start_matches(['!', '|', '@', '%', '^', '\t', ' ', '-']).trim().to_owned();
        let lines = text.lines().take(MOST_LINES).flat_map(|line| {
            let quoted = line.split(['"', '\'', '`', '(', ')']).map(strip).filter(|part| part.contains(' '));
            std::iter::once(strip(line)).chain(quoted)
        });
        let lines: Vec<String> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        self.perhaps(|lowering| lowering.all_suspect(&lines, span, scope));
    }

    fn all_suspect(&mut self, lines: &[String], span: &Range<usize>, scope: &Scope) {
        for line in lines {
            if self.depth >= MOST_DEPTH - 2 {
                break;
            }
            let Ok(program) = read::read(line, Limits { depth: 8, words: 256 }) else { continue };
            self.depth += 1;
            let found = self.tried(|lowering| {
                lowering.program(
                    &program,
                    &mut Scope { directory: scope.directory.clone(), ..Scope::default() },
                    &Stream::unknown(),
                );
            });
            self.depth -= 1;
            for effect in found {
                use EffectKind::{Deletes, Destroys, RunsCode, RunsDownload, SendsCredentials, StopsMachine};
                let is_harm = match effect.kind {
                    Deletes | Destroys | StopsMachine | SendsCredentials | RunsDownload => true,
                    // A line, or a text of several words, that begins with the path of a program.
                    RunsCode => matches!(
                        effect.place,
                        Some(EffectPlace::InHome | EffectPlace::Temporary | EffectPlace::Startup)
                    ),
                    _ => false,
                };
                if is_harm {
                    self.push(effect.kind, effect.object, effect.place, span);
                }
            }
        }
    }

    pub(super) fn touch(&mut self, reading: &Field, scope: &mut Scope) {
        // A program may know `~` where the shell does not.
        let value = home(&reading.value);
        let value = if value.starts_with(mark::HOME) { value.as_str() } else { reading.value.as_str() };
        if value.is_empty() {
            return;
        }
        if !scope.files.is_empty() {
            self.written(reading, scope);
        }
        if let Some(host) = host_of_address(value).or_else(|| domain(value)) {
            if !is_local(host) {
                self.add(EffectKind::Sends, shown(host), &reading.span);
            }
            return;
        }
        if value.starts_with(['/', mark::HOME, mark::TEMP]) || value.contains("..") || Ground::is_credential(value) {
            let (object, place) = self.ground.place(value, scope);
            let is_label = value.starts_with("//") && place == EffectPlace::Elsewhere;
            let is_harmless =
                matches!(place, EffectPlace::Project | EffectPlace::Build | EffectPlace::Temporary | EffectPlace::Null);
            if !is_harmless && !is_label {
                let is_own = place == EffectPlace::Credentials && !object.starts_with(['/', '~']);
                let kind = if is_own { EffectKind::Reads } else { EffectKind::Writes };
                self.push(kind, object, Some(place), &reading.span);
            }
            return;
        }
        // Code of a language that is not known may name paths and addresses.
        for (begin, part) in named_places(value) {
            let inner = Field { span: reading.span.clone(), ..reading.from(begin) };
            self.touch(&Field { value: part.to_owned(), ..inner }, scope);
        }
        // A text with blanks may be a command.
        if value.contains([' ', '\t', '\n', ';', '|', '(']) && self.depth < MOST_DEPTH - 2 {
            let text = reading.from(usize::from(value.starts_with(['!', ':'])));
            if let Ok(program) = read::read(&text.value, Limits { depth: 8, words: 256 }) {
                let mut inside = scope.clone();
                self.depth += 1;
                let found = self.tried(|lowering| {
                    lowering.program(&program, &mut inside, &Stream::unknown());
                });
                self.depth -= 1;
                for effect in found {
                    let is_word = matches!(effect.kind, EffectKind::Unknown | EffectKind::RunsCode);
                    if !is_word && !Ground::is_harmless(&effect) {
                        let effect = Effect { span: reading.span.clone(), ..effect };
                        if !self.effects.contains(&effect) {
                            self.effects.push(effect);
                        }
                    }
                }
            }
        }
    }
}

/// Returns the verb in a word that says that something is lost: `delete` in `--delete-config` and `kafka-delete-records`.
pub(super) fn verb_of_loss(word: &str) -> Option<&'static str> {
    const ANYWHERE: [&str; 13] = [
        "delete",
        "destroy",
        "purge",
        "erase",
        "unregister",
        "revoke",
        "terminate",
        "uninstall",
        "truncate",
        "obliterate",
        "undefine",
        "expunge",
        "nuke",
    ];
    const ALONE: [&str; 6] = ["remove", "drop", "wipe", "rm", "reset", "prune"];
    // A sentence is not a command.
    if word.len() > 64 || word.contains([' ', '/']) {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let parts = || word.split(|c: char| !c.is_ascii_alphanumeric());
    let alone = ALONE.into_iter().find(|verb| parts().any(|part| part == *verb));
    ANYWHERE.into_iter().find(|verb| word.contains(verb)).or(alone)
}

/// Returns a word of a text with the mark of the home directory in the place of `~`.
fn home(word: &str) -> String {
    let word = word.trim_matches(['"', '\'', ';', '(', ')', ',']);
    word.strip_prefix('~')
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        .map_or_else(|| word.to_owned(), |rest| format!("{}{rest}", mark::HOME))
}

/// Returns the paths and addresses in a text, with the places where they begin.
fn named_places(text: &str) -> Vec<(usize, &str)> {
    let is_edge = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\'' | '`' | '(' | ')' | ',' | ';' | '=' | '<' | '>' | '[' | ']' | '{' | '}' | '!' | '|' | '^'
            )
    };
    let mut found = Vec::new();
    let mut at = 0;
    for part in text.split(is_edge) {
        let is_place =
            part.starts_with(['/', mark::HOME]) && part.len() > 1 || part.starts_with("~/") || part.contains("://");
        if is_place && part.len() < text.len() {
            found.push((at, part));
        }
        at += part.len() + text[at + part.len()..].chars().next().map_or(0, char::len_utf8);
    }
    found
}
