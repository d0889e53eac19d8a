//! What the guards of the shape of calls and answers share: `sizes`, `capability_gap`, `structure`, `tool_schemas` and
//! `structured_answer`.
//!
//! These guards give a mistake back to the model, which can then correct it. They give it back only a bounded number of times in a
//! run. No text of these guards quotes a value that the model wrote.
//!
//! They run in this order: `sizes` (priority 5) comes first, because the others read what it bounds. `capability_gap` (6) comes
//! before everything that decides by the name of a tool, because it may correct the name. `tool_schemas` (14) comes after guards
//! that change arguments.

#[cfg(feature = "schema")]
pub(crate) mod compiled;
pub(crate) mod feedback;
pub(crate) mod names;
pub(crate) mod offered;
#[cfg(feature = "schema")]
mod plain;
#[cfg(feature = "schema")]
pub(crate) mod violation;
