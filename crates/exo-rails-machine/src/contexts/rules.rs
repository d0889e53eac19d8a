//! The fields that contexts declare, with their types.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use exo_rails_dygram::{Fields, Machine, NodeId, NodeKind, Type};
use exo_rails_text::names::nearest;
use serde_json::{Map, Value};

use super::typed::TypedContext;
use super::types::{MAX_DEPTH, fits, is_flat, kind_of, schema_of};
use super::{AccessError, Grant};

/// A field that a context declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRule {
    /// The name.
    pub name: String,
    /// The type. A field without a type accepts any value.
    pub ty: Option<Type>,
    /// The JSON Schema of the field.
    pub schema: Value,
}

/// The contexts of a machine, with the fields that they declare.
///
/// A context that declares no fields accepts all field names. A field that only a permission names, such as `title` in
/// `-write: title-> job`, exists too.
#[derive(Clone, Debug, Default)]
pub struct ContextRules {
    contexts: BTreeMap<String, Vec<FieldRule>>,
    typed: Arc<BTreeMap<String, TypedContext>>,
}

impl ContextRules {
    /// Returns the rules of a machine.
    #[must_use]
    pub fn of(machine: &Machine) -> Self {
        let mut contexts = BTreeMap::new();
        for id in machine.ids().filter(|id| machine.kind(*id) == NodeKind::Context) {
            let fields = machine.node(id).attributes.iter();
            let field = |field: &exo_rails_dygram::Attribute| FieldRule {
                name: field.name.clone(),
                ty: field.ty.clone(),
                schema: schema_of(field.ty.as_ref()),
            };
            let fields = fields.map(field).collect();
            contexts.insert(machine.path(id).to_owned(), fields);
        }
        Self { contexts, typed: Arc::default() }
    }

    /// Adds the fields of contexts that are types of the program.
    #[must_use]
    pub(crate) fn with_types(mut self, typed: &Arc<BTreeMap<String, TypedContext>>) -> Self {
        for (name, context) in typed.iter() {
            let fields = self.contexts.entry(name.clone()).or_default();
            for field in context.first().keys() {
                fields.retain(|rule| rule.name != *field);
                fields.push(FieldRule { name: field.clone(), ty: None, schema: context.schema(field) });
            }
        }
        self.typed = Arc::clone(typed);
        self
    }

    /// Returns what a node may read and write.
    #[must_use]
    pub fn grants(&self, machine: &Machine, node: NodeId) -> Vec<Grant> {
        let access = machine.access(node).into_iter();
        let grant = |access: exo_rails_dygram::Access| Grant {
            context: machine.path(access.context).to_owned(),
            reads: access.reads,
            writes: access.writes,
        };
        access.map(grant).collect()
    }

    /// Returns the names of the fields that a context declares.
    pub fn declared<'a>(&'a self, context: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.contexts.get(context).into_iter().flatten().map(|field| &*field.name)
    }

    /// Returns those of `fields` that the context declares.
    #[must_use]
    pub fn among(&self, context: &str, fields: &Fields) -> Vec<&FieldRule> {
        let declared = self.contexts.get(context).into_iter().flatten();
        declared.filter(|field| fields.contains(&field.name)).collect()
    }

    /// Returns the names in `fields` that the context has. For [`Fields::All`], these are the fields that the context declares.
    #[must_use]
    pub fn names(&self, context: &str, fields: &Fields) -> BTreeSet<String> {
        let mut names: BTreeSet<_> = self.among(context, fields).iter().map(|field| field.name.clone()).collect();
        if let (Fields::Only(only), true) = (fields, self.is_open(context)) {
            names.extend(only.iter().cloned());
        }
        names
    }

    /// Returns whether a context accepts all field names, because it declares no fields.
    #[must_use]
    pub fn is_open(&self, context: &str) -> bool {
        self.contexts.get(context).is_none_or(Vec::is_empty)
    }

    fn has_field(&self, context: &str, field: &str) -> bool {
        self.is_open(context) || self.declared(context).any(|declared| declared == field)
    }

    /// Checks a field of a context for which the node has a permission.
    pub(super) fn check_field(
        &self,
        fields: &Fields,
        context: &str,
        field: &str,
        verb: &'static str,
    ) -> Result<(), AccessError> {
        let (context, name) = (context.to_owned(), field.to_owned());
        if !fields.contains(field) {
            let allowed =
                self.declared(&context).filter(|declared| fields.contains(declared)).map(str::to_owned).collect();
            return Err(AccessError::Field { context, field: name, verb, allowed });
        }
        if !self.has_field(&context, field) {
            let names: Vec<&str> = self.declared(&context).filter(|declared| fields.contains(declared)).collect();
            let similar = nearest(field, &names).map(str::to_owned);
            return Err(AccessError::Unknown { context, field: name, similar });
        }
        Ok(())
    }

    /// Checks whether a context of a type of the program still has the type with these fields.
    pub(super) fn check_all(
        &self,
        context: &str,
        values: &Map<String, Value>,
        written: &Map<String, Value>,
    ) -> Result<(), AccessError> {
        let Some(typed) = self.typed.get(context) else { return Ok(()) };
        let mut all = values.clone();
        all.extend(written.clone());
        typed.check(all).map_err(|cause| AccessError::Value { context: context.to_owned(), cause })
    }

    pub(super) fn check_value(&self, context: &str, field: &str, value: &Value) -> Result<(), AccessError> {
        if !is_flat(value, MAX_DEPTH) {
            return Err(AccessError::Deep { context: context.to_owned(), field: field.to_owned(), limit: MAX_DEPTH });
        }
        let declared = self.contexts.get(context).into_iter().flatten().find(|declared| declared.name == field);
        match declared.and_then(|declared| declared.ty.as_ref()) {
            Some(ty) if !fits(ty, value) => Err(AccessError::Type {
                context: context.to_owned(),
                field: field.to_owned(),
                expected: ty.to_string(),
                found: kind_of(value),
            }),
            _ => Ok(()),
        }
    }
}
