//! Names in configurations: tools and arguments, and how they are found in a call.

mod by_tool;
mod glob;
mod json;
mod one_or_many;
mod pointer;
mod spelling;
mod step;
#[cfg(any(feature = "paths", feature = "urls"))]
mod text;
mod tool_name;
mod tool_pattern;

pub use pointer::PointerPattern;
pub use tool_pattern::ToolPattern;

pub(crate) use by_tool::ByTool;
pub(crate) use glob::{fixed_text, glob};
pub(crate) use json::{each_leaf, nested};
pub(crate) use one_or_many::one_or_many;
pub(crate) use spelling::{folded, is_plain, percent_decoded};
pub(crate) use step::{Way, place};
#[cfg(any(feature = "paths", feature = "urls"))]
#[cfg(feature = "paths")]
pub(crate) use text::words;
pub(crate) use text::{last_word, texts};
pub(crate) use tool_name::ToolName;
pub(crate) use tool_pattern::Precision;
