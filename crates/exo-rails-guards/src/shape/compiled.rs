//! Schemas that are compiled once, when they are needed.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use exo_rails::message::ToolSpec;
use exo_rails_policy::ConfigError;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use super::plain::is_plain;
use super::violation::{self, Violation};

/// The number of steps back that a pattern with look-around or back references may take. Other patterns take linear time.
const BACKTRACK_LIMIT: usize = 100_000;

/// The number of tool sets that are kept. A run offers the same tools in most of its requests.
const KEPT_SETS: usize = 16;

/// A schema, in the draft that its `$schema` names, or in draft 2020-12. It may refer to itself and to the drafts, but to no file
/// and no address.
///
/// It is compiled when it is first needed, once.
pub(crate) struct Schema {
    text: Value,
    check_formats: bool,
    compiled: OnceLock<Result<Compiled, String>>,
}

/// What checks values.
struct Compiled {
    validator: Validator,
    /// Every property name in the schema. Other names in a path are chosen by the model.
    names: HashSet<String>,
}

impl Schema {
    pub(crate) fn new(text: Value, check_formats: bool) -> Self {
        Self { text, check_formats, compiled: OnceLock::new() }
    }

    /// Makes a schema of the configuration. Compiles it only if it is not [plain](is_plain).
    ///
    /// # Errors
    /// Returns why it is not a schema that can be used.
    pub(crate) fn of_config(text: Value, check_formats: bool) -> Result<Self, ConfigError> {
        let schema = Self::new(text, check_formats);
        if !is_plain(&schema.text) {
            schema.compiled().map_err(|error| ConfigError::new(format!("this is not a JSON Schema: {error}")))?;
        }
        Ok(schema)
    }

    /// Returns why the value does not fit, if it does not.
    ///
    /// # Errors
    /// Returns why the schema cannot be used.
    pub(crate) fn check(&self, value: &Value) -> Result<Option<Violation>, &str> {
        let Compiled { validator, names } = self.compiled()?;
        if validator.is_valid(value) {
            return Ok(None);
        }
        Ok(Some(violation::of(validator.iter_errors(value), &self.text, names)))
    }

    fn compiled(&self) -> Result<&Compiled, &str> {
        let compile = || {
            let validator = compiled(&self.text, self.check_formats)?;
            let mut names = HashSet::new();
            collect_names(&self.text, &mut names);
            Ok(Compiled { validator, names })
        };
        self.compiled.get_or_init(compile).as_ref().map_err(String::as_str)
    }
}

/// Compiles a schema.
pub(super) fn compiled(schema: &Value, check_formats: bool) -> Result<Validator, String> {
    let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT);
    let options = jsonschema::options().offline().with_pattern_options(patterns);
    let options = if check_formats { options.should_validate_formats(true) } else { options };
    options.build(schema).map_err(|error| error.to_string())
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

/// The schemas of the tools of one request, by name.
pub(crate) type ToolSet = HashMap<String, Schema>;

/// The tool sets, the last used first.
#[derive(Default)]
pub(crate) struct Cache(Mutex<VecDeque<Entry>>);

/// A tool set and its schemas.
type Entry = (Arc<Vec<ToolSpec>>, Arc<ToolSet>);

impl Cache {
    /// Returns the schemas of these tools.
    pub(crate) fn get(&self, tools: &Arc<Vec<ToolSpec>>, check_formats: bool) -> Arc<ToolSet> {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sets.iter().position(|(known, _)| Arc::ptr_eq(known, tools) || known == tools);
        let set = known.and_then(|place| sets.remove(place)).map(|(_, set)| set);
        let set = set.unwrap_or_else(|| Arc::new(schemas_of(tools, check_formats)));
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

fn schemas_of(tools: &[ToolSpec], check_formats: bool) -> ToolSet {
    let with_schema = tools.iter().map(|tool| &tool.function).filter(|function| !function.parameters.is_null());
    with_schema
        .map(|function| (function.name.clone(), Schema::new(function.parameters.clone(), check_formats)))
        .collect()
}
