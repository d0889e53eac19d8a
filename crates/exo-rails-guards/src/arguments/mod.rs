//! Names in configurations: tools and arguments, and how they are found in a call.

mod by_tool;
mod glob;
mod json;
mod pointer;
mod spelling;
mod step;
mod text;
mod tool_name;
mod tool_pattern;

pub use pointer::PointerPattern;
pub use tool_pattern::ToolPattern;

pub(crate) use by_tool::ByTool;
pub(crate) use glob::{fixed_text, glob};
pub(crate) use json::{each_leaf, nested};
pub(crate) use spelling::{folded, is_invisible, is_plain, percent_decoded};
pub(crate) use step::{Segment, Way, place, step};
pub(crate) use text::texts;
#[cfg(feature = "paths")]
pub(crate) use text::words;
#[cfg(any(feature = "paths", feature = "urls"))]
pub(crate) use text::{items, last_word};
pub(crate) use tool_name::ToolName;
pub(crate) use tool_pattern::{Precision, check_tools};
