//! The table `data_flow`.

use std::collections::BTreeMap;

use exo_rails_text::names::advice;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::builder::setters;
use crate::list::one_or_many;
use crate::table::{Table, named};
use crate::{ConfigError, OnRefusal, PointerPattern, ToolPattern};

/// The most labels of a policy.
pub const MOST_LABELS: usize = 16;

/// The configuration of `DataFlow`.
///
/// ```
/// use exo_rails_policy::from_toml;
/// use exo_rails_policy::data_flow::DataFlowConfig;
///
/// let config: DataFlowConfig = from_toml(r#"
///     trusted = "search_orders"
///
///     [[sources]]
///     tool = ["fetch", "mcp__browser__*"]
///     label = "web"
///
///     [[sinks]]
///     tool = "send_mail"
///     arguments = "/to"
///
///     [[sanitizers]]
///     tool = "check_address"
///     arguments = "/address"
///     if_result = { "/known" = true }
/// "#)?;
/// assert_eq!(config.passage_chars, 12);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataFlowConfig {
    /// Whose results are tainted.
    pub sources: Vec<Source>,
    /// Which arguments must not have tainted values. At least one.
    pub sinks: Vec<Sink>,
    /// Which tools clear values.
    pub sanitizers: Vec<Sanitizer>,
    /// The label of the user's input, if it is a source. By default, a value that the user has written is not tainted,
    /// wherever else it occurs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_input: Option<String>,
    /// The label of recalled memories, if they are a source. By default, they are neither tainted nor trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Labels that only the program uses: see `taint`.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Tools whose results are as trusted as the user's words, such as a database of the program: names in exactly this
    /// spelling, or globs. The result of a call with a tainted argument is not trusted.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub trusted: Vec<ToolPattern>,
    /// Values that are never tainted, such as the domain of the company.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub trusted_values: Vec<String>,
    /// Whether the result of a tool is tainted if an argument of the call was. The default is `true`.
    pub propagate: bool,
    /// Tools whose results are not tainted by their arguments, such as a search in a database of the program.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub no_propagation: Vec<ToolPattern>,
    /// Whether all that the model writes is tainted as soon as it has read a tainted text. Then an argument of a sink may only
    /// have what the user, the program or a trusted tool has written, and what is cleared. The default is `false`.
    pub coarse: bool,
    /// The number of letters and digits from which a copied passage of a text is tainted. Common words, dates and times do not
    /// count. The default is 12.
    pub passage_chars: usize,
    /// The number of letters and digits from which a passage is tainted although all its words are common. The default is 32.
    pub common_passage_chars: usize,
    /// The number of letters and digits from which an id, a number, a path or a whole argument is tainted. The default is 6.
    /// Hosts and e-mail addresses can be shorter.
    pub value_chars: usize,
    /// Whether the guard remembers what a run has read, or what a session has read.
    pub scope: FlowScope,
    /// Whether the guard keeps what it remembers in its store. Then other processes know it at once, and
    /// it survives a restart. The default is `false`: it is in the memory of the run or session, and is saved with it.
    pub keep_in_store: bool,
    /// The most marks that the guard keeps of tainted texts, and of trusted ones. There are one to two marks for each letter,
    /// and a mark has about 20 bytes. The default is 900 000. When it is full, every value that is not trusted counts as
    /// tainted.
    pub max_marks: usize,
    /// What a sink with the decision `refuse` does.
    pub on_refusal: OnRefusal,
}

impl Default for DataFlowConfig {
    fn default() -> Self {
        Self {
            sources: Vec::new(),
            sinks: Vec::new(),
            sanitizers: Vec::new(),
            user_input: None,
            memory: None,
            labels: Vec::new(),
            trusted: Vec::new(),
            trusted_values: Vec::new(),
            propagate: true,
            no_propagation: Vec::new(),
            coarse: false,
            passage_chars: 12,
            common_passage_chars: 32,
            value_chars: 6,
            scope: FlowScope::default(),
            keep_in_store: false,
            max_marks: 900_000,
            on_refusal: OnRefusal::default(),
        }
    }
}

setters!(DataFlowConfig {
    sources: [Source],
    sinks: [Sink],
    sanitizers: [Sanitizer],
    labels: [String],
    trusted: [ToolPattern],
    trusted_values: [String],
    propagate: bool,
    no_propagation: [ToolPattern],
    coarse: bool,
    passage_chars: usize,
    common_passage_chars: usize,
    value_chars: usize,
    scope: FlowScope,
    keep_in_store: bool,
    max_marks: usize,
    on_refusal: OnRefusal,
});

impl DataFlowConfig {
    /// Sets [`user_input`](field@Self::user_input).
    #[must_use]
    pub fn user_input(mut self, label: impl Into<String>) -> Self {
        self.user_input = Some(label.into());
        self
    }

    /// Sets [`memory`](field@Self::memory).
    #[must_use]
    pub fn memory(mut self, label: impl Into<String>) -> Self {
        self.memory = Some(label.into());
        self
    }

    /// Returns all labels of sources, each once.
    pub fn all_labels(&self) -> Vec<&str> {
        let sources = self.sources.iter().map(|source| &source.label);
        let all = sources.chain(&self.user_input).chain(&self.memory).chain(&self.labels);
        let mut all: Vec<&str> = all.map(String::as_str).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Checks the values that need no engine.
    ///
    /// # Errors
    /// Returns an error that names the key, and says what to write.
    pub fn check(&self) -> Result<(), ConfigError> {
        let labels = self.all_labels();
        if labels.is_empty() {
            let message = "nothing is tainted: write a source such as `[[sources]]` with `tool = \"fetch\"` and `label = \"web\"`";
            return Err(ConfigError::new(message).in_key("sources"));
        }
        if labels.len() > MOST_LABELS {
            let message = format!("{} labels are too many: write at most {MOST_LABELS}", labels.len());
            return Err(ConfigError::new(message).in_key("sources"));
        }
        if labels.contains(&"") {
            return Err(ConfigError::new("a label is empty: write a word such as `web`").in_key("sources"));
        }
        if self.sinks.is_empty() {
            let message = "no argument is guarded: write a sink such as `[[sinks]]` with `tool = \"send_mail\"`";
            return Err(ConfigError::new(message).in_key("sinks"));
        }
        let sinks = self.sinks.iter().map(|sink| ("sinks", &sink.tool, &sink.labels));
        let sanitizers = self.sanitizers.iter().map(|sanitizer| ("sanitizers", &sanitizer.tool, &sanitizer.labels));
        for (key, tools, named) in sinks.chain(sanitizers) {
            if tools.is_empty() {
                return Err(ConfigError::new("no tool is named: write `tool = \"…\"`").in_key(key));
            }
            check_labels(named, &labels).map_err(|error| error.in_key(key))?;
        }
        if let Some(place) =
            self.sinks.iter().position(|sink| sink.approval_clears && sink.decision != SinkDecision::Ask)
        {
            let message = "nobody approves calls of this sink: write `decision = \"ask\"`, or leave the key out";
            return Err(ConfigError::new(message).in_key(format_args!("sinks[{place}].approval_clears")));
        }
        if self.sources.iter().any(|source| source.tool.is_empty()) {
            return Err(ConfigError::new("no tool is named: write `tool = \"…\"`").in_key("sources"));
        }
        if let Some(sanitizer) = self.sanitizers.iter().find(|of| of.arguments.is_empty() && !of.result) {
            let tool = sanitizer.tool.first().map_or("", ToolPattern::as_str);
            let message =
                format!("`{tool}` clears nothing: write `arguments` with the checked ones, or `result = true`");
            return Err(ConfigError::new(message).in_key("sanitizers"));
        }
        if let Some(pointer) =
            self.sanitizers.iter().flat_map(|of| of.if_result.keys()).find(|pointer| !pointer.starts_with('/'))
        {
            let message = format!("`{pointer}` is not a pointer: write `/{pointer}`");
            return Err(ConfigError::new(message).in_key("sanitizers"));
        }
        self.check_sizes()
    }

    fn check_sizes(&self) -> Result<(), ConfigError> {
        if self.value_chars < 3 {
            let message = format!("{} would find values everywhere: write at least 3", self.value_chars);
            return Err(ConfigError::new(message).in_key("value_chars"));
        }
        if self.passage_chars < self.value_chars.max(8) {
            let least = self.value_chars.max(8);
            let message = format!("{} would find passages everywhere: write at least {least}", self.passage_chars);
            return Err(ConfigError::new(message).in_key("passage_chars"));
        }
        if self.common_passage_chars < self.passage_chars {
            let message = format!(
                "a passage of common words cannot be shorter than another one: write at least {}",
                self.passage_chars
            );
            return Err(ConfigError::new(message).in_key("common_passage_chars"));
        }
        if self.max_marks == 0 {
            return Err(ConfigError::new("0 would taint everything: write a number such as 900000").in_key("max_marks"));
        }
        Ok(())
    }
}

fn check_labels(named: &[String], known: &[&str]) -> Result<(), ConfigError> {
    let Some(label) = named.iter().find(|label| !known.contains(&label.as_str())) else { return Ok(()) };
    Err(ConfigError::new(format!("no source has the label `{label}`: {}", advice(label, known))))
}

/// Tools whose results are tainted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The tools, in every spelling: names or globs.
    #[serde(deserialize_with = "one_or_many")]
    pub tool: Vec<ToolPattern>,
    /// The label of the values, such as `web`, `mail` or `secret`.
    pub label: String,
    /// The tainted values in a result that is JSON. Default: the whole result. A result that is not JSON is tainted as a whole.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<PointerPattern>,
}

impl Source {
    /// Makes a source of whole results.
    #[must_use]
    pub fn new(tool: ToolPattern, label: impl Into<String>) -> Self {
        Self { tool: vec![tool], label: label.into(), values: Vec::new() }
    }
}

/// Arguments that must not have tainted values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sink {
    /// The name, for findings. Default: `sink-1` and so on, by its place in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tools, in every spelling: names or globs.
    #[serde(deserialize_with = "one_or_many")]
    pub tool: Vec<ToolPattern>,
    /// The arguments. Default: all arguments.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PointerPattern>,
    /// The labels that the sink does not accept. Default: all labels.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// What happens to a call with a tainted value.
    #[serde(default)]
    pub decision: SinkDecision,
    /// Whether a value that a person has approved is cleared for later calls, too. The default is `false`: the approval is for
    /// this call. Only a sink with the decision [`Ask`](SinkDecision::Ask) can have it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approval_clears: bool,
    /// Why the sink does not accept these values, for people and for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl Sink {
    /// Makes a sink of all arguments, which accepts no label.
    #[must_use]
    pub fn new(tool: ToolPattern) -> Self {
        Self {
            name: None,
            tool: vec![tool],
            arguments: Vec::new(),
            labels: Vec::new(),
            decision: SinkDecision::default(),
            approval_clears: false,
            because: None,
        }
    }

    /// Guards only these arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = PointerPattern>) -> Self {
        self.arguments = arguments.into_iter().collect();
        self
    }

    /// Guards only against these labels.
    #[must_use]
    pub fn labels<L: AsRef<str>>(mut self, labels: impl IntoIterator<Item = L>) -> Self {
        self.labels = labels.into_iter().map(|label| label.as_ref().to_owned()).collect();
        self
    }

    /// Sets what happens to a call with a tainted value.
    #[must_use]
    pub const fn decision(mut self, decision: SinkDecision) -> Self {
        self.decision = decision;
        self
    }
}

/// What happens to a call of a sink with a tainted value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SinkDecision {
    /// The guard reports a finding, and the call runs.
    Report,
    /// A person decides.
    Ask,
    /// The call does not run.
    #[default]
    Refuse,
}

/// Tools that clear values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sanitizer {
    /// The tools, in exactly this spelling: names or globs.
    #[serde(deserialize_with = "one_or_many")]
    pub tool: Vec<ToolPattern>,
    /// The arguments whose values are cleared if the call succeeds. A value is cleared as it is: its parts, and longer values
    /// that contain it, are not.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PointerPattern>,
    /// Whether the result is clean although the arguments are tainted, as the result of a tool that removes something from a
    /// text. Then each passage of the result is trusted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub result: bool,
    /// What the result must have, if it is JSON: pointers, and the values there. A result that differs clears nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub if_result: BTreeMap<String, Value>,
    /// The labels for which the values are cleared. Default: all labels.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

impl Sanitizer {
    /// Makes a sanitizer that clears the values of these arguments, for all labels.
    #[must_use]
    pub fn new(tool: ToolPattern, arguments: impl IntoIterator<Item = PointerPattern>) -> Self {
        let arguments = arguments.into_iter().collect();
        Self { tool: vec![tool], arguments, result: false, if_result: BTreeMap::new(), labels: Vec::new() }
    }
}

/// How long the guard remembers what has been read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowScope {
    /// For the run. The guard also reads the conversation before the run.
    #[default]
    Run,
    /// For the session.
    Session,
}

impl Table for DataFlowConfig {
    const KEY: &'static str = "data_flow";

    fn tools(&self) -> Vec<(String, &str)> {
        [
            named("sources", self.sources.iter().flat_map(|source| &source.tool)),
            named("sinks", self.sinks.iter().flat_map(|sink| &sink.tool)),
            named("sanitizers", self.sanitizers.iter().flat_map(|sanitizer| &sanitizer.tool)),
            named("trusted", &self.trusted),
            named("no_propagation", &self.no_propagation),
        ]
        .concat()
    }
}
