//! The table `injection`.

use serde::{Deserialize, Serialize};

use crate::builder::setters;
use crate::list::one_or_many;
use crate::table::{Table, named};
use crate::{OnRefusal, Severity, ToolPattern};

/// The configuration of `Injection`.
///
/// ```
/// use exo_rails_policy::injection::InjectionConfig;
///
/// let config: InjectionConfig = exo_rails_policy::from_toml(r#"
///     trusted_tools = ["read_calendar", "internal_*"]
///     warn_model_from = "medium"
///     enforce_from = "critical"
///     canary = true
/// "#)?;
/// assert!(config.canary && config.classifier.is_none());
/// # Ok::<(), exo_rails_policy::ConfigError>(())
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
    /// `Injection::with_classifier`.
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

/// The configuration of a classifier: the table `injection.classifier`.
///
/// ```
/// use exo_rails_policy::injection::InjectionConfig;
///
/// let config: InjectionConfig = exo_rails_policy::from_toml(r#"
///     [classifier]
///     url = "http://127.0.0.1:8080/score"
///     threshold = 0.8
///     timeout_ms = 500
///     fail_mode = "open"
/// "#)?;
/// assert_eq!(config.classifier.map(|classifier| classifier.threshold), Some(0.8));
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClassifierConfig {
    /// The URL of a server. It needs the feature `http`, and `https` for TLS. Without it, the program sets a classifier with
    /// `Injection::with_classifier`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The score from which a text is a finding. The default is 0.5.
    pub threshold: f64,
    /// The severity of the finding. The default is `high`.
    pub severity: Severity,
    /// The time for one text, in milliseconds. The default is 2000.
    pub timeout_ms: u64,
    /// What happens if the classifier fails or is too slow. The default is `closed`.
    pub fail_mode: ClassifierFailMode,
    /// The bytes of a text that the classifier reads. The default is 16 384.
    pub max_bytes: usize,
}

impl Default for ClassifierConfig {
    fn default() -> Self {
        Self {
            url: None,
            threshold: 0.5,
            severity: Severity::High,
            timeout_ms: 2_000,
            fail_mode: ClassifierFailMode::Closed,
            max_bytes: 1 << 14,
        }
    }
}

/// What happens if a classifier fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassifierFailMode {
    /// The guard faults, so the run ends.
    #[default]
    Closed,
    /// The text counts as honest. A finding `classifier_fault` reports the failure.
    Open,
}

setters!(InjectionConfig {
        sources: [Source],
        trusted_tools: [ToolPattern],
        strip: [Source],
        warn_model_from: (Option<Severity>),
        enforce_from: (Option<Severity>),
        on_refusal: OnRefusal,
        without: [String],
        classifier: (Option<ClassifierConfig>),
        canary: bool,
    }
);

impl Table for InjectionConfig {
    const KEY: &'static str = "injection";

    fn tools(&self) -> Vec<(String, &str)> {
        named("trusted_tools", &self.trusted_tools)
    }
}
