//! The text of a file as a tree, with exact places.
//!
//! [`parse`] reads a whole file. It reports all mistakes together, and returns a tree of what it could read. Its time is
//! proportional to the length of the text. [`MAX_DEPTH`] and [`MAX_LEVELS`] limit the nesting.

mod arrow;
mod escape;
mod layout;
mod lexer;
mod parser;
mod template;
mod token;
mod tree;

pub use self::arrow::Arrow;
pub(crate) use self::escape::{quote, unescape};
pub(crate) use self::layout::{Layout, Mark};
pub(crate) use self::lexer::lex;
pub use self::parser::{MAX_DEPTH, MAX_LEVELS, Parsed, parse};
pub(crate) use self::template::unclosed;
pub use self::template::{Hole, holes};
pub(crate) use self::token::{Token, TokenKind, is_keyword, is_name, is_word};
pub use self::tree::{
    Annotation, Argument, Attribute, Comment, Edge, File, Head, Import, ImportedName, Item, LabelPart, Name, Node,
    Path, Segment, Text, Type, TypeKind, Value, ValueKind,
};
