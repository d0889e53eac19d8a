//! The run of a text without a machine: its state, and the effects that it has found.

use std::collections::HashSet;
use std::ops::Range;

use super::arguments::Call;
use super::field::Field;
use super::place::Ground;
use super::scope::{Scope, Stream};
use crate::command::{ShellCommand, Word};
use crate::effect::{Effect, EffectKind, EffectPlace};
use crate::knowledge::Node;

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
    /// The functions and aliases that ran.
    pub(super) called: HashSet<String>,
    pub(super) depth: usize,
    /// The program that runs, for its variables.
    pub(super) program_node: Option<Node>,
    /// What runs here is only possible: a program that is not known may run it.
    pub(super) possible: bool,
}

impl<'g> Lowering<'g> {
    pub(super) fn new(ground: &'g Ground) -> Self {
        Self {
            ground,
            effects: Vec::new(),
            commands: Vec::new(),
            owner: None,
            processes: Vec::new(),
            count: 0,
            called: HashSet::new(),
            depth: 0,
            program_node: None,
            possible: false,
        }
    }

    pub(super) fn add(&mut self, kind: EffectKind, object: impl Into<String>, span: &Range<usize>) {
        self.push(kind, object.into(), None, span);
    }

    pub(super) fn push(&mut self, kind: EffectKind, object: String, place: Option<EffectPlace>, span: &Range<usize>) {
        let effect =
            Effect { kind, object, place, is_possible: self.possible, span: span.clone(), command: self.owner };
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

    /// Runs something that may not run after all. Returns the effects that it would have.
    pub(super) fn tried(&mut self, run: impl FnOnce(&mut Self)) -> Vec<Effect> {
        let effects = std::mem::take(&mut self.effects);
        let commands = self.commands.len();
        run(self);
        self.commands.truncate(commands);
        let mut found = std::mem::replace(&mut self.effects, effects);
        for effect in &mut found {
            effect.command = self.owner;
        }
        found
    }

    /// Adds an effect on a path.
    pub(super) fn path(&mut self, kind: EffectKind, field: &Field, scope: &Scope) {
        let (object, place) = self.ground.place(&field.value, scope);
        self.push(kind, object, Some(place), &field.span);
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
