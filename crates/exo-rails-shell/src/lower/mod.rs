//! From commands to effects: runs a text without a machine.
//!
//! Variables get their values, functions and files that the text defines are followed, and what one command prints reaches the next.
//! What a program does with its words comes from `knowledge`.

mod apply;
mod arguments;
mod builtins;
mod call;
mod code;
mod embedded;
mod expand;
mod expansion;
mod field;
mod hosts;
mod language;
mod lowering;
mod path;
mod place;
mod program;
mod scope;
mod sed;
mod touch;

pub(crate) use path::Directory;
pub(crate) use place::Ground;

use crate::command::{Role, ShellCommand};
use crate::effect::Effect;
use crate::knowledge::Node;
use crate::read::Program;

/// What a text does.
#[derive(Debug, Default)]
pub(crate) struct Lowered {
    pub(crate) effects: Vec<Effect>,
    pub(crate) commands: Vec<ShellCommand>,
}

/// Runs a program in a directory, and returns its effects and commands in the order in which they begin.
pub(crate) fn lower(program: &Program, ground: &Ground, directory: Directory) -> Lowered {
    let mut lowering = lowering::Lowering::new(ground);
    let mut scope = scope::Scope { directory, ..scope::Scope::default() };
    lowering.program(program, &mut scope, &scope::Stream::default());
    lowering.left_behind(&scope);
    Lowered { effects: lowering.effects, commands: lowering.commands }
}

/// Returns what each word is for its program. The first word is the program.
pub(crate) fn roles(words: &[&str]) -> Vec<Role> {
    let fields: Vec<field::Field> = words.iter().map(|word| field::Field::new(*word, 0..0)).collect();
    match words.first().and_then(|name| Node::program(name)) {
        Some(node) => arguments::call(node, &fields).roles,
        None => fields.iter().map(field::Field::role).collect(),
    }
}
