//! The run of a text without a machine: its state, and the effects that it has found.

use std::ops::Range;
use std::rc::Rc;

use super::arguments::Call;
use super::field::Field;
use super::place::Ground;
use super::scope::{Scope, Stream};
use crate::command::{ShellCommand, Word};
use crate::effect::{Effect, EffectKind, EffectPlace};
use crate::knowledge::Node;
use crate::read::Command;
use crate::word::mark;

/// The most programs that run each other.
pub(super) const MOST_DEPTH: usize = 24;

/// Runs a text without a machine, and collects its effects.
pub(super) struct Lowering<'g> {
    pub(super) ground: &'g Ground,
    pub(super) effects: Vec<Effect>,
    /// The programs that run.
    pub(super) commands: Vec<ShellCommand>,
    /// The number of the program whose effects are being found.
    pub(super) owner: Option<usize>,
    /// What `/dev/fd/N` of a process substitution reads.
    pub(super) processes: Vec<(u32, Stream)>,
    pub(super) count: usize,
    /// The functions that the text defines, each with what the shell knew then.
    pub(super) functions: Vec<Defined>,
    /// The number of the text that runs: 0 for the whole text, and others for texts in it.
    pub(super) text: usize,
    /// How many texts ran.
    pub(super) texts: usize,
    /// The functions that ran.
    pub(super) called: Vec<Rc<Command>>,
    pub(super) depth: usize,
    /// The program that runs, for its variables.
    pub(super) program_node: Option<Node>,
    /// What runs here is only possible: a program that is not known may run it.
    pub(super) possible: bool,
    /// What is deleted here is deleted with all that is in it.
    pub(super) recursive: bool,
}

/// A function that a text defines.
#[derive(Clone)]
pub(super) struct Defined {
    pub(super) body: Rc<Command>,
    /// What the shell knew then.
    pub(super) scope: Scope,
    /// The number of the text.
    pub(super) text: usize,
}

impl<'g> Lowering<'g> {
    pub(super) const fn new(ground: &'g Ground) -> Self {
        Self {
            ground,
            effects: Vec::new(),
            commands: Vec::new(),
            owner: None,
            processes: Vec::new(),
            count: 0,
            functions: Vec::new(),
            text: 0,
            texts: 0,
            called: Vec::new(),
            depth: 0,
            program_node: None,
            possible: false,
            recursive: false,
        }
    }

    pub(super) fn add(&mut self, kind: EffectKind, object: impl Into<String>, span: &Range<usize>) {
        self.push(kind, object.into(), None, span);
    }

    pub(super) fn push(&mut self, kind: EffectKind, object: String, place: Option<EffectPlace>, span: &Range<usize>) {
        // `src/*` is all that is in the directory.
        let is_recursive = (self.recursive || object.ends_with("/*")) && kind == EffectKind::Deletes;
        let (is_possible, command) = (self.possible, self.owner);
        let effect = Effect { kind, object, place, is_recursive, is_possible, span: span.clone(), command };
        if !self.effects.contains(&effect) {
            self.effects.push(effect);
        }
    }

    /// Adds a program that runs. The effects that `run` finds are its own.
    pub(super) fn owned(
        &mut self,
        fields: &[Field],
        call: Option<&Call>,
        span: &Range<usize>,
        run: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        let words = fields.iter().map(|field| Word { marked: field.value.clone(), range: field.span.clone() });
        let roles = call.map_or_else(|| fields.iter().map(Field::role).collect(), |call| call.roles.clone());
        let (words, range) = (words.collect(), span.clone());
        self.commands.push(ShellCommand { words, range, inside: self.owner, is_builtin: false, roles });
        let before = self.owner.replace(self.commands.len() - 1);
        let output = run(self);
        self.owner = before;
        output
    }

    /// Adds the call of a function or an alias, which starts no program itself.
    pub(super) fn called(
        &mut self,
        fields: &[Field],
        span: &Range<usize>,
        run: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        let number = self.commands.len();
        let output = self.owned(fields, None, span, run);
        if let Some(command) = self.commands.get_mut(number) {
            command.is_builtin = true;
        }
        output
    }

    /// Runs something. Returns its output and the effects that it has, and adds none of them.
    pub(super) fn apart<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> (T, Vec<Effect>) {
        let before = std::mem::take(&mut self.effects);
        let output = run(self);
        (output, std::mem::replace(&mut self.effects, before))
    }

    /// Runs something that may not happen: its effects are only possible.
    pub(super) fn perhaps(&mut self, run: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.possible, true);
        run(self);
        self.possible = before;
    }

    /// Runs something whose places in the text are those of another text. What it finds gets the place `span`.
    pub(super) fn at<T>(&mut self, span: &Range<usize>, run: impl FnOnce(&mut Self) -> T) -> T {
        self.moved(|_| span.clone(), run)
    }

    /// Runs something whose places in the text are those of another text. `place` returns their places in the whole text.
    pub(super) fn moved<T>(
        &mut self,
        place: impl Fn(&Range<usize>) -> Range<usize>,
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let commands = self.commands.len();
        let (output, found) = self.apart(run);
        for command in &mut self.commands[commands..] {
            command.range = place(&command.range);
            for word in &mut command.words {
                word.range = place(&word.range);
            }
        }
        self.effects.extend(found.into_iter().map(|effect| Effect { span: place(&effect.span), ..effect }));
        output
    }

    /// Runs something that may not run after all. Returns the effects that it would have.
    pub(super) fn tried(&mut self, run: impl FnOnce(&mut Self)) -> Vec<Effect> {
        let commands = self.commands.len();
        let functions = self.functions.len();
        let ((), mut found) = self.apart(run);
        self.commands.truncate(commands);
        self.functions.truncate(functions);
        for effect in &mut found {
            effect.command = self.owner;
        }
        found
    }

    /// Adds an effect on a path.
    pub(super) fn path(&mut self, kind: EffectKind, field: &Field, scope: &Scope) {
        let (object, place) = self.ground.place(&field.value, scope);
        // A variable that the text does not set has a value that no command of the text has made.
        let is_made = field.taint.is_made || scope.is_directory_made;
        let is_value = !is_made && !field.value.starts_with(['/', mark::HOME]);
        let place = match place {
            EffectPlace::Unknown if is_value => EffectPlace::Variable,
            // What is written to `/tmp` goes into it.
            EffectPlace::Root | EffectPlace::System
                if kind == EffectKind::Writes && self.ground.is_temporary(&object) =>
            {
                EffectPlace::Temporary
            }
            place => place,
        };
        // `cd x; rm -rf *` deletes here if there is no `x`.
        if kind == EffectKind::Deletes
            && let Some(before) = &scope.before
            && !field.value.starts_with(['/', mark::HOME, mark::TEMP])
        {
            let here = Scope { directory: before.clone(), before: None, ..scope.clone() };
            let (object, place) = self.ground.place(&field.value, &here);
            if !matches!(place, EffectPlace::Project | EffectPlace::Build | EffectPlace::Temporary) {
                self.push(kind, object, Some(place), &field.span);
            }
        }
        if let Some((target, place)) = self.through_link(&object, scope) {
            self.push(kind, target, Some(place), &field.span);
        }
        self.push(kind, object, Some(place), &field.span);
    }

    /// Returns where a path leads through a link that the text has made.
    fn through_link(&self, object: &str, scope: &Scope) -> Option<(String, EffectPlace)> {
        let (link, target) = scope.links.iter().find(|(link, _)| {
            object.strip_prefix(link.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })?;
        Some(self.ground.place(&format!("{target}{}", &object[link.len()..]), scope))
    }

    pub(super) fn deeper(&mut self, span: &Range<usize>, run: impl FnOnce(&mut Self) -> Stream) -> Stream {
        if self.depth >= MOST_DEPTH {
            self.add(EffectKind::RunsCode, "too many programs run each other", span);
            return Stream::unknown();
        }
        self.depth += 1;
        let output = run(self);
        self.depth -= 1;
        output
    }
}
