//! The table `structure`.

use serde::{Deserialize, Serialize};

use crate::builder::setters;
use crate::table::Table;

/// The configuration of `Structure`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the configuration")]
pub struct StructureConfig {
    /// Whether the names are checked. The default is true. `CapabilityGap` checks the name of each
    /// call too, and lets the other calls of the answer run. If you use it, write `false` here.
    pub names: bool,
    /// Whether the ids are checked. The default is true. Write `false` for a model server that gives no ids.
    pub ids: bool,
    /// Whether the arguments are checked. The default is true.
    pub arguments: bool,
    /// Whether the finish reason is checked. The default is true.
    pub finish_reason: bool,
    /// How often in a run the model is asked again. After that, the run ends. The default is 3.
    pub max_feedback: u32,
}

impl Default for StructureConfig {
    fn default() -> Self {
        Self { names: true, ids: true, arguments: true, finish_reason: true, max_feedback: 3 }
    }
}

setters!(StructureConfig { names: bool, ids: bool, arguments: bool, finish_reason: bool, max_feedback: u32 });

impl Table for StructureConfig {
    const KEY: &'static str = "structure";
}
