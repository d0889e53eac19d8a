//! The table `content`.

use serde::{Deserialize, Serialize};

use crate::OnRefusal;
use crate::builder::setters;
use crate::list::one_or_many;
pub use crate::risk_level::RiskLevel;
use crate::table::Table;

/// The configuration of `ContentFilter`.
///
/// ```
/// use exo_rails_policy::content::{ContentConfig, RiskLevel};
///
/// let config: ContentConfig = exo_rails_policy::from_toml(r#"
///     blocked_phrases = ["hack into", "steal credentials"]
///     max_input_chars = 5_000
///     known_patterns = true
///     without = ["code_injection"]
///     block_from = "high"
///
///     [[patterns]]
///     name = "internal_project"
///     level = "critical"
///     phrases = "Project Nightjar"
///
///     [[patterns]]
///     name = "ticket"
///     level = "low"
///     regex = "TICKET-[0-9]+"
/// "#)?;
/// assert_eq!(config.patterns[0].level, RiskLevel::Critical);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContentConfig {
    /// Phrases of the level [`High`](RiskLevel::High). They are found in any case, with any spaces and marks between their
    /// words or between all their letters, and with invisible characters in them.
    pub blocked_phrases: Vec<String>,
    /// Whether a phrase begins and ends with whole words. Without it, `hack` is also found in `shack`. The default is true. In
    /// scripts without spaces, such as Chinese and Thai, a phrase is found everywhere.
    pub whole_words: bool,
    /// Whether letters and digits may stand for the letters that they look like, as in `h4ck` or with a Cyrillic `а`
    /// ([UTS 39](https://www.unicode.org/reports/tr39/)). The default is true. Without it, only case, accents, styles and
    /// widths of letters do not count.
    pub look_alikes: bool,
    /// The most characters in the input of a user. The default is no limit.
    pub max_input_chars: Option<usize>,
    /// The most bytes in the input of a user. The default is no limit.
    pub max_input_bytes: Option<usize>,
    /// The most characters in all messages of a request to the model, without tool calls. The default is no limit.
    pub max_conversation_chars: Option<usize>,
    /// The most bytes in all messages of a request to the model, without tool calls. The default is no limit.
    pub max_conversation_bytes: Option<usize>,
    /// Whether the guard looks for the thirteen patterns in the input of users. The default is
    /// false: they also match harmless texts about attacks.
    pub known_patterns: bool,
    /// Names or kinds of the thirteen patterns that are not used, such as `code_injection`.
    #[serde(deserialize_with = "one_or_many")]
    pub without: Vec<String>,
    /// Your own patterns.
    pub patterns: Vec<ContentPattern>,
    /// Where the guard looks for phrases and for your patterns. The default is `input` and `answers`.
    pub places: Vec<ContentPlace>,
    /// The level from which a finding blocks. Below it, the guard only reports. The default is `high`.
    pub block_from: RiskLevel,
    /// What a block does to a tool call or to an output of a tool.
    pub on_refusal: OnRefusal,
}

impl Default for ContentConfig {
    fn default() -> Self {
        Self {
            blocked_phrases: Vec::new(),
            whole_words: true,
            look_alikes: true,
            max_input_chars: None,
            max_input_bytes: None,
            max_conversation_chars: None,
            max_conversation_bytes: None,
            known_patterns: false,
            without: Vec::new(),
            patterns: Vec::new(),
            places: vec![ContentPlace::Input, ContentPlace::Answers],
            block_from: RiskLevel::High,
            on_refusal: OnRefusal::default(),
        }
    }
}

/// A pattern of your own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContentPattern {
    /// The name of the rule in findings.
    pub name: String,
    /// The level of the pattern.
    pub level: RiskLevel,
    /// Phrases, which are found as [`blocked_phrases`](ContentConfig::blocked_phrases) are: one text or a list.
    #[serde(default, deserialize_with = "one_or_many")]
    pub phrases: Vec<String>,
    /// A regular expression of the crate `regex`. It ignores case, and reads the text as it is. Use phrases for words that
    /// somebody may try to hide.
    #[serde(default)]
    pub regex: Option<String>,
}

/// A place where text enters or leaves a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentPlace {
    /// The input of the user. A block ends the run.
    Input,
    /// The answers of the model, before the reader of a stream receives them. A block ends the run.
    Answers,
    /// The arguments of tool calls.
    Arguments,
    /// The outputs of tools. The model reads the reason of a block instead.
    Outputs,
    /// Recalled memories. A block removes the item.
    Memory,
}

setters!(ContentConfig {
        blocked_phrases: [String],
        whole_words: bool,
        look_alikes: bool,
        max_input_chars: (Option<usize>),
        max_input_bytes: (Option<usize>),
        max_conversation_chars: (Option<usize>),
        max_conversation_bytes: (Option<usize>),
        known_patterns: bool,
        without: [String],
        patterns: [ContentPattern],
        places: [ContentPlace],
        block_from: RiskLevel,
        on_refusal: OnRefusal,
    }
);

impl Table for ContentConfig {
    const KEY: &'static str = "content";
}
