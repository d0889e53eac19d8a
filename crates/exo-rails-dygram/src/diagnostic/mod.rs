//! Mistakes in a file: what is wrong, where it is, and what to write.
//!
//! A [`Diagnostic`] names a [`Place`] in one of the [`Sources`]. A [`Report`] holds both, and prints the mistakes with the
//! lines of the files.

mod mistake;
mod place;
mod render;
mod report;
mod sources;

pub use self::mistake::{Diagnostic, Severity};
pub use self::place::{FileId, Place, Span};
pub use self::report::Report;
pub use self::sources::{Location, Sources};
