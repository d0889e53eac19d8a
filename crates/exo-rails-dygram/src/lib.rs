#![doc = include_str!("../README.md")]
#![allow(clippy::doc_markdown, reason = "DyGram is a name, and no item of the code")]

mod check;
pub mod condition;
mod diagnostic;
mod lower;
mod model;
mod print;
mod reader;
pub mod syntax;

pub use crate::check::check;
pub use crate::diagnostic::{Diagnostic, FileId, Location, Place, Report, Severity, Sources, Span, nearest};
pub use crate::lower::{Directory, LoadError, Loader, NoImports};
pub use crate::model::{
    Access, Annotation, Argument, Attribute, BuildError, Condition, ConditionKind, Edge, EdgeId, Endpoint, Fields,
    Found, LabelPart, META_TOOLS, Machine, Node, NodeId, NodeKind, Note, Number, Type, TypeKind, Value,
};
pub use crate::print::format;
pub use crate::reader::{Reader, Reading, read};
pub use crate::syntax::Arrow;
