//! Names in configurations: tools and arguments, and how they are found in a call.

mod by_tool;
mod glob;
mod json;
mod pointer;
mod step;
mod text;

pub(crate) use by_tool::ByTool;
pub(crate) use glob::{fixed_text, glob};
pub(crate) use json::{each_leaf, nested};
pub(crate) use pointer::Search;
pub(crate) use step::{Segment, Way, place, step};
pub(crate) use text::texts;
#[cfg(feature = "paths")]
pub(crate) use text::words;
#[cfg(any(feature = "paths", feature = "urls"))]
pub(crate) use text::{items, last_word};
