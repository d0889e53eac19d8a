//! The data of a machine, and who may read and write it.

mod access;
mod rules;
mod typed;
mod types;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use access::{AccessError, Grant, Written};
pub use rules::{ContextRules, FieldRule};
pub(crate) use typed::TypedContext;
pub use typed::{ContextType, context_type};
pub(crate) use types::{MAX_DEPTH, is_flat, json_of};
pub use types::{fits, schema_of};

/// The values of all contexts of a machine.
///
/// ```
/// use exo_rails_machine::{ContextRules, Contexts};
/// use serde_json::json;
///
/// let file = "Context job { title<string>: \"Tea\"; tags<array>: \"[]\"; } Task plan { prompt: \"Plan\"; } plan -reads-> job;";
/// let machine = exo_rails_dygram::read("flow.dygram", file).machine;
/// let rules = ContextRules::of(&machine);
/// let contexts = Contexts::first(&machine);
/// let grants = rules.grants(&machine, machine.find("plan").expect("the file has the node"));
/// assert_eq!(contexts.read(&rules, &grants, "job", &[]), Ok(json!({ "title": "Tea", "tags": [] })));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contexts {
    values: BTreeMap<String, Map<String, Value>>,
    /// Changes with each write.
    revision: u64,
}

impl Contexts {
    /// Returns the values that the contexts have when the machine starts.
    #[must_use]
    pub fn first(machine: &exo_rails_dygram::Machine) -> Self {
        let mut contexts = Self::default();
        contexts.add_missing(machine);
        contexts
    }

    /// Sets the first values of contexts that are types of the program.
    pub(crate) fn set_typed<'a>(&mut self, typed: impl IntoIterator<Item = (&'a String, &'a TypedContext)>) {
        for (name, context) in typed {
            self.values.insert(name.clone(), context.first().clone());
        }
    }

    /// Reads a context as a Rust type, without a check of permissions.
    ///
    /// ```
    /// use exo_rails_machine::Contexts;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Order { total: f64 }
    ///
    /// let mut contexts = Contexts::default();
    /// contexts.set("order", "total", 9.5);
    /// assert_eq!(contexts.typed::<Order>("order")?.total, 9.5);
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the values do not fit the type. The text says why.
    pub fn typed<T: serde::de::DeserializeOwned>(&self, context: &str) -> Result<T, String> {
        let fields = self.values.get(context).cloned().unwrap_or_default();
        serde_json::from_value(Value::Object(fields)).map_err(|error| format!("`{context}`: {error}"))
    }

    /// Adds the first values of contexts and fields that have none yet. A changed machine may have new ones.
    pub(crate) fn add_missing(&mut self, machine: &exo_rails_dygram::Machine) {
        for id in machine.ids().filter(|id| machine.kind(*id) == exo_rails_dygram::NodeKind::Context) {
            let fields = self.values.entry(machine.path(id).to_owned()).or_default();
            for attribute in &machine.node(id).attributes {
                if let (false, Some(value)) = (fields.contains_key(&attribute.name), &attribute.value) {
                    fields.insert(attribute.name.clone(), json_of(value, attribute.ty.as_ref()));
                }
            }
        }
    }

    /// Returns the value of a field, without a check of permissions.
    #[must_use]
    pub fn get(&self, context: &str, field: &str) -> Option<&Value> {
        self.values.get(context).and_then(|fields| fields.get(field))
    }

    /// Returns all fields of a context, without a check of permissions.
    #[must_use]
    pub fn fields(&self, context: &str) -> Option<&Map<String, Value>> {
        self.values.get(context)
    }

    /// Sets a field, without a check of permissions. Programs use this before a machine starts.
    pub fn set(&mut self, context: &str, field: &str, value: impl Into<Value>) {
        self.revision = self.revision.wrapping_add(1);
        self.values.entry(context.to_owned()).or_default().insert(field.to_owned(), value.into());
    }

    /// Removes a field, without a look at permissions.
    pub(crate) fn remove(&mut self, context: &str, field: &str) {
        self.revision = self.revision.wrapping_add(1);
        if let Some(fields) = self.values.get_mut(context) {
            fields.remove(field);
        }
    }

    /// Gives a field the value that it had before a write, unless it was written again since then. Returns whether it did.
    pub(crate) fn take_back(&mut self, write: &Written) -> bool {
        if self.get(&write.context, &write.field) != Some(&write.after) {
            return false;
        }
        match &write.before {
            Some(before) => self.set(&write.context, &write.field, before.clone()),
            None => self.remove(&write.context, &write.field),
        }
        true
    }

    /// Returns a number that changes with each write.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Reads fields of a context, with the permissions in `grants`. Without names, it reads all fields that the node may read.
    ///
    /// # Errors
    ///
    /// If the node may not read the context or one of the fields, or if the context has no such field.
    pub fn read(
        &self,
        rules: &ContextRules,
        grants: &[Grant],
        context: &str,
        fields: &[String],
    ) -> Result<Value, AccessError> {
        let grant = access::readable(grants, context)?;
        let empty = Map::new();
        let values = self.values.get(context).unwrap_or(&empty);
        if fields.is_empty() {
            let readable = values.iter().filter(|(name, _)| grant.reads.contains(name));
            return Ok(Value::Object(readable.map(|(name, value)| (name.clone(), value.clone())).collect()));
        }
        let mut found = Map::new();
        for field in fields {
            rules.check_field(&grant.reads, context, field, "read")?;
            found.insert(field.clone(), values.get(field).cloned().unwrap_or(Value::Null));
        }
        Ok(Value::Object(found))
    }

    /// Writes fields of a context, with the permissions in `grants`. If one field is refused, it writes none of them.
    ///
    /// # Errors
    ///
    /// If the node may not write the context or one of the fields, if the context has no such field, or if a value has
    /// the wrong type.
    pub fn write(
        &mut self,
        rules: &ContextRules,
        grants: &[Grant],
        context: &str,
        fields: Map<String, Value>,
    ) -> Result<Vec<Written>, AccessError> {
        let grant = access::writable(grants, context)?;
        if fields.is_empty() {
            return Err(AccessError::Nothing { context: context.to_owned() });
        }
        for (field, value) in &fields {
            rules.check_field(&grant.writes, context, field, "write")?;
            rules.check_value(context, field, value)?;
        }
        let values = self.values.entry(context.to_owned()).or_default();
        rules.check_all(context, values, &fields)?;
        self.revision = self.revision.wrapping_add(1);
        let write = |(field, value): (String, Value)| {
            let before = values.insert(field.clone(), value.clone());
            Written { context: context.to_owned(), field, before, after: value }
        };
        Ok(fields.into_iter().map(write).collect())
    }
}
