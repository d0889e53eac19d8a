#![doc = include_str!("../README.md")]
//! # Where to begin
//!
//! - [`read`] and [`Reader`] read a text. A [`Loader`] finds the files that it imports.
//! - [`Machine`], [`Node`], [`Edge`] and [`Access`] are a machine as data. Its `Display` writes a file.
//! - [`check`] finds mistakes in a machine, and a [`Report`] of [`Diagnostic`]s shows them.
//! - [`fn@format`] formats a file. [`syntax`] is its tree, and [`condition`] reads conditions.
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
pub use crate::diagnostic::{Diagnostic, FileId, Location, Place, Report, Severity, Sources, Span};
pub use crate::lower::{Directory, LoadError, Loader, NoImports};
pub use crate::model::{
    Access, AddError, Annotation, Argument, Attribute, ConditionKind, Edge, EdgeCondition, EdgeId, Endpoint, Fields,
    Found, LabelPart, META_TOOLS, Machine, Node, NodeId, NodeKind, Note, Number, Type, TypeKind, Value,
};
pub use crate::print::format;
pub use crate::reader::{Reader, Reading, read};
pub use crate::syntax::Arrow;
