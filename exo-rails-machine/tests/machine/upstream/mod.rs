//! Facts that the tests of another executor of this language show, as tables.
//!
//! Where a row differs from that executor, a comment says what it does there.

mod async_edges;
mod graph_validation;
mod tool_registry;
