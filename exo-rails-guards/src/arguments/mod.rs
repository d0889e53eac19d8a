//! Arguments of tool calls: where their texts are.

mod pointer;
mod step;
mod text;
mod tool_name;

pub use pointer::PointerPattern;
pub(crate) use step::place;
pub(crate) use text::{last_word, texts};
pub use tool_name::ToolPattern;
