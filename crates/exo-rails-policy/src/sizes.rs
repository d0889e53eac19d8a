//! The table `sizes`.

use serde::{Deserialize, Serialize};

use crate::builder::setters;
use crate::table::Table;

/// The configuration of `Sizes`.
///
/// ```
/// use exo_rails_policy::sizes::SizesConfig;
///
/// let config: SizesConfig = exo_rails_policy::from_toml("max_depth = 8\nlarge_output = \"cut\"")?;
/// assert_eq!(config.max_items, 10_000);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SizesConfig {
    /// The bytes of the arguments of a tool call, as JSON text. The default is 1 MiB.
    pub max_argument_bytes: usize,
    /// How deep lists and objects in the arguments may be nested. The arguments themselves are the first level. The default
    /// is 32. More than 127 has no effect, because deeper JSON is not read.
    pub max_depth: usize,
    /// The number of all items of all lists and objects in the arguments. The default is 10 000.
    pub max_items: usize,
    /// The bytes of a string in the arguments, as JSON text: an escape such as `\n` has two bytes. Names of arguments are
    /// strings too. The default is 1 MiB.
    pub max_string_bytes: usize,
    /// The bytes of the text of a tool's output. The default is 1 MiB.
    pub max_output_bytes: usize,
    /// The bytes of the text of an answer, without its tool calls. The default is 1 MiB.
    pub max_answer_bytes: usize,
    /// What happens to an output that is too large.
    pub large_output: LargeOutput,
    /// How often in a run the model is asked again because its answer was too large. After that, the run ends. The default
    /// is 2.
    pub max_feedback: u32,
}

impl Default for SizesConfig {
    fn default() -> Self {
        const MIB: usize = 1 << 20;
        Self {
            max_argument_bytes: MIB,
            max_depth: 32,
            max_items: 10_000,
            max_string_bytes: MIB,
            max_output_bytes: MIB,
            max_answer_bytes: MIB,
            large_output: LargeOutput::default(),
            max_feedback: 2,
        }
    }
}

/// What happens to a tool output that is too large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LargeOutput {
    /// The model reads an error with the size instead of the output.
    #[default]
    Refuse,
    /// The model reads the beginning of the output, and a note with the size.
    Cut,
}

setters!(SizesConfig {
    max_argument_bytes: usize,
    max_depth: usize,
    max_items: usize,
    max_string_bytes: usize,
    max_output_bytes: usize,
    max_answer_bytes: usize,
    large_output: LargeOutput,
    max_feedback: u32,
});

impl Table for SizesConfig {
    const KEY: &'static str = "sizes";
}
