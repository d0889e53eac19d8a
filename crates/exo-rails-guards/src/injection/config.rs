//! The configuration of the guard of injections.

use serde::{Deserialize, Serialize};

use super::ClassifierConfig;
use crate::config::one_or_many;
use crate::{OnRefusal, Severity, ToolPattern};

/// The configuration of [`Injection`](super::Injection).
///
/// ```
/// use exo_rails_guards::injection::{Injection, InjectionConfig};
///
/// let config: InjectionConfig = exo_rails_guards::config::from_toml(r#"
///     trusted_tools = ["read_calendar", "internal_*"]
///     warn_model_from = "medium"
///     enforce_from = "critical"
///     canary = true
/// "#)?;
/// Injection::new(config)?;
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InjectionConfig {
    /// Whose texts the guard checks. The default is all.
    pub sources: Vec<Source>,
    /// Tools whose outputs are not checked: names, or globs such as `internal_*`. One text or a list.
    #[serde(deserialize_with = "one_or_many")]
    pub trusted_tools: Vec<ToolPattern>,
    /// The sources from which the guard removes hidden characters. The default is `outputs` and
    /// `memory`.
    pub strip: Vec<Source>,
    /// The severity from which the model reads a note that a text is data, and no instructions. The default is no note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warn_model_from: Option<Severity>,
    /// The severity from which a finding refuses: an input ends the run, the model does not read an output, and a memory is
    /// removed. By default, the guard only reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enforce_from: Option<Severity>,
    /// What the refusal of an output does.
    pub on_refusal: OnRefusal,
    /// Names of rules that are not used.
    #[serde(deserialize_with = "one_or_many")]
    pub without: Vec<String>,
    /// A classifier that reads the texts. The default is none. The keys also count for a classifier of the program: see
    /// [`Injection::with_classifier`](super::Injection::with_classifier).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier: Option<ClassifierConfig>,
    /// Whether the guard adds a canary to the system message. The default is false.
    pub canary: bool,
}

impl Default for InjectionConfig {
    fn default() -> Self {
        Self {
            sources: vec![Source::Input, Source::Outputs, Source::Memory],
            trusted_tools: Vec::new(),
            strip: vec![Source::Outputs, Source::Memory],
            warn_model_from: None,
            enforce_from: None,
            on_refusal: OnRefusal::default(),
            without: Vec::new(),
            classifier: None,
            canary: false,
        }
    }
}

/// Who has written a text that the model reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The user.
    Input,
    /// A tool: its output, or its error.
    Outputs,
    /// A memory.
    Memory,
}
