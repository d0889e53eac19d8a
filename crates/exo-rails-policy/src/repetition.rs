//! The table `repetition`.

use serde::{Deserialize, Serialize};

use crate::ConfigError;
use crate::builder::setters;
use crate::table::Table;

/// The longest repeated unit, in bytes.
pub const MAX_UNIT: usize = 4_096;

/// The configuration of `Repetition`.
///
/// ```
/// use exo_rails_policy::repetition::{OnRepetition, RepetitionConfig};
///
/// let config: RepetitionConfig = exo_rails_policy::from_toml("action = \"retry\"\nmin_bytes = 4_000")?;
/// assert_eq!((config.action, config.min_times), (OnRepetition::Retry, 4));
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RepetitionConfig {
    /// The smallest number of times that the text is repeated directly after itself. At least 3. The default is 4.
    pub min_times: usize,
    /// The smallest length of all repetitions together, in bytes. At least 64. The default is 2000, about 500 tokens. The guard
    /// acts when both `min_times` and this length are reached.
    pub min_bytes: usize,
    /// The smallest length for a text without letters, in bytes, in place of `min_bytes`. Such a text is a line of `=`, the
    /// border of a table, or a list of zeros. At least 64. The default is 8000.
    pub min_bytes_without_letters: usize,
    /// The longest text whose repetitions the guard finds, in bytes. From 1 to 4096. The default is 1024.
    pub max_unit_bytes: usize,
    /// What the guard does with the answer. The default is `end`.
    pub action: OnRepetition,
    /// The largest number of retries in a call, for [`OnRepetition::Retry`]. If the last answer repeats a text too, the guard
    /// ends it. The default is 1.
    pub max_retries: u32,
}

/// What the guard does with an answer that repeats the same text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnRepetition {
    /// The answer ends at this place, and has no tool calls.
    #[default]
    End,
    /// The guard discards the answer and asks the model again. The model reads that it has repeated itself.
    Retry,
    /// The run ends.
    Abort,
}

impl Default for RepetitionConfig {
    fn default() -> Self {
        Self {
            min_times: 4,
            min_bytes: 2_000,
            min_bytes_without_letters: 8_000,
            max_unit_bytes: 1_024,
            action: OnRepetition::default(),
            max_retries: 1,
        }
    }
}

setters!(RepetitionConfig {
    min_times: usize,
    min_bytes: usize,
    min_bytes_without_letters: usize,
    max_unit_bytes: usize,
    action: OnRepetition,
    max_retries: u32,
});

impl RepetitionConfig {
    /// Checks the values that need no engine.
    ///
    /// # Errors
    /// Returns an error that names the key, and says what to write.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.min_times < 3 {
            return Err(ConfigError::new("a text may well be there twice: write at least 3").in_key("min_times"));
        }
        for (key, bytes) in
            [("min_bytes", self.min_bytes), ("min_bytes_without_letters", self.min_bytes_without_letters)]
        {
            if bytes < 64 {
                let message = format!("{bytes} bytes are too few to tell a repetition from a text: write at least 64");
                return Err(ConfigError::new(message).in_key(key));
            }
        }
        if self.max_unit_bytes == 0 || self.max_unit_bytes > MAX_UNIT {
            return Err(ConfigError::new(format!("write a number from 1 to {MAX_UNIT}")).in_key("max_unit_bytes"));
        }
        Ok(())
    }
}

impl Table for RepetitionConfig {
    const KEY: &'static str = "repetition";
}
