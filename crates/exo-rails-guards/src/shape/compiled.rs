//! Schemas that are compiled once.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use exo_rails::message::ToolSpec;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use super::violation::{self, Violation};

/// The number of steps back that a pattern with look-around or back references may take. Other patterns take linear time.
const BACKTRACK_LIMIT: usize = 100_000;

/// The number of tool sets that are kept. A run offers the same tools in most of its requests.
const KEPT_SETS: usize = 16;

/// A compiled schema.
pub(crate) struct Schema {
    validator: Validator,
    /// The schema itself, for the names of known properties.
    text: Value,
    /// Every property name in the schema. Other names in a path are chosen by the model.
    names: HashSet<String>,
}

impl Schema {
    /// Compiles a schema, in the draft that its `$schema` names, or in draft 2020-12. It may refer to itself and to the
    /// drafts, but to no file and no address.
    pub(crate) fn compile(schema: Value, check_formats: bool) -> Result<Self, String> {
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT);
        let options = jsonschema::options().offline().with_pattern_options(patterns);
        let options = if check_formats { options.should_validate_formats(true) } else { options };
        let validator = options.build(&schema).map_err(|error| error.to_string())?;
        let mut names = HashSet::new();
        collect_names(&schema, &mut names);
        Ok(Self { validator, text: schema, names })
    }

    /// Returns why the value does not fit, if it does not.
    pub(crate) fn check(&self, value: &Value) -> Option<Violation> {
        if self.validator.is_valid(value) {
            return None;
        }
        Some(violation::of(self.validator.iter_errors(value), &self.text, &self.names))
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema").finish_non_exhaustive()
    }
}

/// Collects the names below each `properties`.
fn collect_names(schema: &Value, names: &mut HashSet<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get("properties") {
                names.extend(properties.keys().cloned());
            }
            fields.values().for_each(|value| collect_names(value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        _ => {}
    }
}

/// The schemas of the tools of one request, by name. A schema that does not compile is its error.
pub(crate) type ToolSet = HashMap<String, Result<Schema, String>>;

/// The compiled tool sets, the last used first.
#[derive(Default)]
pub(crate) struct Cache(Mutex<VecDeque<Entry>>);

/// A tool set and its compiled schemas.
type Entry = (Arc<Vec<ToolSpec>>, Arc<ToolSet>);

impl Cache {
    /// Returns the compiled schemas of these tools.
    pub(crate) fn get(&self, tools: &Arc<Vec<ToolSpec>>, check_formats: bool) -> Arc<ToolSet> {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sets.iter().position(|(known, _)| Arc::ptr_eq(known, tools) || known == tools);
        let set = known.and_then(|place| sets.remove(place)).map(|(_, set)| set);
        let set = set.unwrap_or_else(|| Arc::new(compile_all(tools, check_formats)));
        // Under the list of this run, so that the next call of the run compares only a pointer.
        sets.push_front((Arc::clone(tools), Arc::clone(&set)));
        sets.truncate(KEPT_SETS);
        set
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").finish_non_exhaustive()
    }
}

fn compile_all(tools: &[ToolSpec], check_formats: bool) -> ToolSet {
    let with_schema = tools.iter().filter(|tool| !tool.function.parameters.is_null());
    let compile = |tool: &ToolSpec| {
        (tool.function.name.clone(), Schema::compile(tool.function.parameters.clone(), check_formats))
    };
    with_schema.map(compile).collect()
}
