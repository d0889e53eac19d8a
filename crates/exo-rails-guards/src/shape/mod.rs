//! Shape: sizes, schemas and the structure of what a model asks for.
//!
//! | guard | what it checks |
//! |---|---|
//! | [`Sizes`] | the sizes of arguments, outputs and answers |
//! | [`CapabilityGap`] | that the called tool exists. If it does not exist, the model reads the nearest names |
//! | [`Structure`] | the tool calls of an answer: names, ids, arguments, finish reason |
//! | `ToolSchemas` (feature `schema`) | that the arguments of a call fit the JSON Schema of the tool |
//! | `StructuredAnswer` (feature `schema`) | that the answer of the model is JSON that fits a schema |
//!
//! These guards give a mistake back to the model, which can then correct it. They give it back only a bounded number of
//! times in a run. No text of these guards quotes a value that the model wrote.
//!
//! The guards run in this order: [`Sizes`] (priority 5) comes first, because the others read what it bounds.
//! [`CapabilityGap`] (6) comes before everything that decides by the name of a tool, because it may correct the name.
//! `ToolSchemas` (14) comes after guards that change arguments.

mod capability_gap;
mod feedback;
mod offered;
#[cfg(feature = "schema")]
mod schema;
mod sizes;
mod structure;

pub use capability_gap::CapabilityGap;
pub use exo_rails_policy::AfterFeedback;
pub use exo_rails_policy::capability_gap::{CapabilityGapConfig, GapAction};
pub use exo_rails_policy::sizes::{LargeOutput, SizesConfig};
pub use exo_rails_policy::structure::StructureConfig;
#[cfg(feature = "schema")]
pub use exo_rails_policy::structured_answer::StructuredAnswerConfig;
#[cfg(feature = "schema")]
pub use exo_rails_policy::tool_schemas::ToolSchemasConfig;
#[cfg(feature = "schema")]
pub use schema::{StructuredAnswer, ToolSchemas};
pub use sizes::Sizes;
pub use structure::Structure;
