//! A tool call as rules see it.

use std::cell::OnceCell;

use exo_rails::ToolCallInputs;
use exo_rails_policy::ToolName;
use serde_json::Value;

use super::command::Reading;
use super::tools::{ArgumentPlaces, ToolFacts, Tools};
use crate::arguments::{Search, each_leaf};
use crate::places::path::{Places, PossiblePath};

/// The longest text that can be a path.
const LONGEST_PATH: usize = 4096;

pub(crate) struct Call<'c> {
    pub(crate) inputs: &'c ToolCallInputs,
    pub(crate) tool: ToolName<'c>,
    pub(crate) facts: ToolFacts<'c>,
    pub(crate) places: &'c Places,
    /// The shell commands in the call.
    pub(crate) readings: Vec<Reading>,
    certain_paths: OnceCell<Option<Vec<String>>>,
    possible_paths: OnceCell<Vec<PossiblePath>>,
    #[cfg(feature = "urls")]
    certain_hosts: OnceCell<Option<Vec<String>>>,
    #[cfg(feature = "urls")]
    possible_hosts: OnceCell<Vec<String>>,
}

impl<'c> Call<'c> {
    pub(crate) fn new(inputs: &'c ToolCallInputs, tools: &'c Tools, places: &'c Places) -> Self {
        let tool = ToolName::new(&inputs.tool_name);
        let facts = tools.facts(&tool);
        Self {
            inputs,
            tool,
            facts,
            places,
            readings: Vec::new(),
            certain_paths: OnceCell::new(),
            possible_paths: OnceCell::new(),
            #[cfg(feature = "urls")]
            certain_hosts: OnceCell::new(),
            #[cfg(feature = "urls")]
            possible_hosts: OnceCell::new(),
        }
    }

    /// Returns the paths of the call. `None` if there is none, or if one cannot be read.
    pub(crate) fn certain_paths(&self) -> Option<&[String]> {
        let paths = self.certain_paths.get_or_init(|| certain_texts(&self.inputs.arguments, self.facts.paths));
        paths.as_deref()
    }

    /// Returns the texts of the call that may be paths.
    pub(crate) fn possible_paths(&self) -> &[PossiblePath] {
        self.possible_paths.get_or_init(|| {
            let mut all = Vec::new();
            let mut add = |text: &str| {
                if text.len() <= LONGEST_PATH && !text.trim().contains('\n') {
                    all.push(PossiblePath::new(text, self.places));
                }
            };
            possible_texts(&self.inputs.arguments, self.facts.paths, &mut add);
            #[cfg(feature = "shell")]
            for word in self.readings.iter().flat_map(|reading| &reading.commands).flat_map(|command| &command.words) {
                let Some(word) = word.value() else { continue };
                add(word);
                if let Some((_, value)) = word.split_once('=') {
                    add(value);
                }
            }
            // In the spelling of the shell: with the values of variables, and from the directory of the command.
            #[cfg(feature = "shell")]
            for path in self.readings.iter().flat_map(|reading| &reading.paths) {
                if path.contains(['*', '?']) {
                    all.push(PossiblePath::of_names(path, self.places));
                } else if !path.contains('…') {
                    all.push(PossiblePath::new(path, self.places));
                }
            }
            all
        })
    }

    /// Returns the hosts of the call. `None` if there is none, or if one cannot be read.
    #[cfg(feature = "urls")]
    pub(crate) fn certain_hosts(&self) -> Option<&[String]> {
        let hosts = self.certain_hosts.get_or_init(|| {
            let texts = certain_texts(&self.inputs.arguments, self.facts.hosts)?;
            texts.iter().map(|text| crate::places::host::certain_host(text)).collect()
        });
        hosts.as_deref()
    }

    /// Returns the hosts that the texts of the call may name.
    #[cfg(feature = "urls")]
    pub(crate) fn possible_hosts(&self) -> &[String] {
        self.possible_hosts.get_or_init(|| {
            let mut all: Vec<String> = Vec::new();
            possible_texts(&self.inputs.arguments, self.facts.hosts, &mut |text| {
                crate::places::host::possible_hosts(text, &mut |host| {
                    if !all.iter().any(|known| known == host) {
                        all.push(host.to_owned());
                    }
                });
            });
            for host in self.readings.iter().flat_map(|reading| &reading.hosts) {
                if !all.contains(host) {
                    all.push(host.clone());
                }
            }
            all
        })
    }

    /// Without the feature `urls`, no rule is about hosts.
    #[cfg(not(feature = "urls"))]
    #[expect(clippy::unused_self, reason = "with the feature `urls`, it needs the call")]
    pub(crate) fn certain_hosts(&self) -> Option<&[String]> {
        None
    }

    /// Without the feature `urls`, no rule is about hosts.
    #[cfg(not(feature = "urls"))]
    #[expect(clippy::unused_self, reason = "with the feature `urls`, it needs the call")]
    pub(crate) fn possible_hosts(&self) -> &[String] {
        &[]
    }
}

/// Returns all texts at the places. `None` if there is none, or if a value is neither a text nor a list of texts.
fn certain_texts(arguments: &Value, at: ArgumentPlaces<'_>) -> Option<Vec<String>> {
    let (mut all, mut is_certain, mut has_one) = (Vec::new(), true, false);
    for place in at.places {
        has_one |= place.exact(arguments).iter().any(|value| !value.is_null());
        // Other spellings of the name count too: a tool may read them.
        place.each(arguments, &mut |_, value| match value {
            Value::String(text) => all.push(text.clone()),
            Value::Array(items) if items.iter().all(Value::is_string) => {
                all.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            Value::Null => {}
            _ => is_certain = false,
        });
    }
    (is_certain && has_one && !all.is_empty()).then_some(all)
}

/// Calls `add` with all texts that may be meant: those at configured places, or all.
fn possible_texts(arguments: &Value, at: ArgumentPlaces<'_>, add: &mut dyn FnMut(&str)) {
    let mut visit = |value: &Value| {
        each_leaf(value, &mut |_, leaf| {
            if let Some(text) = leaf.as_str() {
                add(text);
            }
        });
    };
    if at.is_configured {
        for place in at.places {
            place.each(arguments, &mut |_, value| visit(value));
        }
    } else {
        visit(arguments);
    }
}
