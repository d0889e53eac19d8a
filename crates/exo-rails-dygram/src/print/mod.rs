//! Writes machines as text, and formats files.

mod format;
mod machine;

pub use self::format::format;
