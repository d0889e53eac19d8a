//! What happens to a secret, depending on where it is.

use serde::{Deserialize, Serialize};

use crate::list::one_or_many;

/// What a guard does with a secret that it finds.
///
/// The order is from the weakest to the strictest. If several rules find one secret, the strictest action counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// The guard does not search.
    Off,
    /// The guard reports a finding and changes nothing.
    Report,
    /// A mark such as `[GITHUB_TOKEN]` replaces the secret.
    #[default]
    Redact,
    /// A tool does not run, an output is withheld, a memory is neither recalled nor stored, and a run ends.
    Refuse,
}

/// Where a text is on its way through a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum At {
    /// The input of a run, and the conversation before it.
    Input,
    /// What a memory recalls and stores.
    Memory,
    /// The arguments of a tool call.
    Arguments,
    /// The output of a tool, or its error.
    Output,
    /// The answer of a model, streamed or not, with its reasoning and its tool calls.
    Answer,
}

impl At {
    /// All places.
    pub const ALL: [Self; 5] = [Self::Input, Self::Memory, Self::Arguments, Self::Output, Self::Answer];

    /// Returns the name for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Input => "the input",
            Self::Memory => "the memory",
            Self::Arguments => "the arguments",
            Self::Output => "the output",
            Self::Answer => "the answer",
        }
    }
}

/// What happens to a secret in each place. The default redacts in all places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Actions {
    /// In the input of a run, and in the conversation before it. A refusal ends the run.
    pub input: Action,
    /// In what a memory recalls and stores. After a refusal, the model reads no recalled items, and nothing is stored.
    pub memory: Action,
    /// In the arguments of a tool call, before the tool runs. A refusal skips the call. The guard also refuses a call whose
    /// arguments it has redacted in the answer of the model. It knows the call by its id. If the call has no id, the guard refuses
    /// all calls without an id until the next answer.
    pub arguments: Action,
    /// In the output of a tool, or in its error. A refusal withholds the output.
    pub output: Action,
    /// In the answer of a model: its text, streamed or not, its reasoning, and the arguments of its tool calls. A refusal ends the
    /// run.
    pub answer: Action,
}

impl Actions {
    /// Makes the same action for all places.
    #[must_use]
    pub const fn everywhere(action: Action) -> Self {
        Self { input: action, memory: action, arguments: action, output: action, answer: action }
    }

    /// Returns the actions in the order of [`At::ALL`].
    #[must_use]
    pub const fn list(self) -> [Action; 5] {
        [self.input, self.memory, self.arguments, self.output, self.answer]
    }
}

/// Another action for some rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// The rules: names, or globs such as `generic-*`. In a configuration, one text or a list.
    #[serde(deserialize_with = "one_or_many")]
    pub rule: Vec<String>,
    /// The places. Default: all places.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<At>,
    /// What happens.
    pub action: Action,
}
