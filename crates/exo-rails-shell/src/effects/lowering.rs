//! The run of a text without a machine: its state, and the effects that it has found.

use std::ops::Range;

use super::effect::{Effect, EffectKind, EffectPlace};
use super::field::Field;
use super::place::Ground;
use super::scope::{Scope, Stream};
use crate::knowledge::Node;

/// The most programs that run each other.
pub(super) const MOST_DEPTH: usize = 24;

/// Runs a text without a machine, and collects its effects.
pub(super) struct Lowering<'g> {
    pub(super) ground: &'g Ground,
    pub(super) effects: Vec<Effect>,
    /// What `/dev/fd/N` of a process substitution reads.
    pub(super) processes: Vec<(u32, Stream)>,
    pub(super) commands: usize,
    pub(super) depth: usize,
    /// The program that runs, for its variables.
    pub(super) program_node: Option<Node>,
    /// What runs here is only possible: a program that is not known may run it.
    pub(super) possible: bool,
}

impl<'g> Lowering<'g> {
    pub(super) const fn new(ground: &'g Ground) -> Self {
        Self {
            ground,
            effects: Vec::new(),
            processes: Vec::new(),
            commands: 0,
            depth: 0,
            program_node: None,
            possible: false,
        }
    }

    pub(super) fn add(&mut self, kind: EffectKind, object: impl Into<String>, span: &Range<usize>) {
        self.push(kind, object.into(), None, span);
    }

    pub(super) fn push(&mut self, kind: EffectKind, object: String, place: Option<EffectPlace>, span: &Range<usize>) {
        let effect = Effect { kind, object, place, is_possible: self.possible, span: span.clone() };
        if !self.effects.contains(&effect) {
            self.effects.push(effect);
        }
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
