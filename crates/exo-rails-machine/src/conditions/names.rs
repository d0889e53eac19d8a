//! What the names in a condition or a template mean.

use std::borrow::Cow;

use exo_rails_dygram::{Found, Machine, NodeId, NodeKind};
use serde_json::{Map, Value};

use super::Facts;
use crate::contexts::{Contexts, json_of};

/// A name, and where its value is.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    /// The names in the text, up to the one that has the value.
    path: Vec<String>,
    /// The path with dots.
    text: String,
    meaning: Meaning,
}

#[derive(Clone, Debug)]
enum Meaning {
    Field {
        context: String,
        field: String,
    },
    Context(String),
    /// A name alone: the only field of this name among these contexts.
    Bare(Vec<String>),
    /// An attribute of the machine or of a node that is not a context. A name alone means one of the node, or around it.
    Attribute(Value),
    ErrorCount,
    Errors,
    ActiveState,
    Item,
    Nothing,
}

impl Name {
    /// Finds what a path means in a node. What it reads may be only the beginning of the path: the rest is inside of the value.
    pub(crate) fn of(machine: &Machine, node: NodeId, path: &[String]) -> Self {
        let first = path.first().map_or("", String::as_str);
        let built_in = match first {
            "errorCount" => Some(Meaning::ErrorCount),
            "errors" => Some(Meaning::Errors),
            "activeState" => Some(Meaning::ActiveState),
            _ => None,
        };
        let (length, meaning) = built_in
            .or_else(|| attribute(machine.attributes.iter(), first))
            .map(|meaning| (1, meaning))
            .or_else(|| of_machine(machine, path))
            .or_else(|| of_node(machine, node, path))
            .unwrap_or_else(|| (1, bare(machine, node, first)));
        let path: Vec<_> = path.iter().take(length).cloned().collect();
        Self { text: path.join("."), path, meaning }
    }

    /// Returns the names in the text, up to the one that has the value, with dots between them.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the context and the field that the name reads. A whole context has no field.
    pub(crate) fn context(&self) -> Option<(&str, Option<&str>)> {
        match &self.meaning {
            Meaning::Field { context, field } => Some((context, Some(field))),
            Meaning::Context(context) => Some((context, None)),
            _ => None,
        }
    }

    /// Adds the value to the variables of an expression.
    ///
    /// # Errors
    ///
    /// If several contexts have the field.
    pub(crate) fn put(
        &self,
        contexts: &Contexts,
        facts: &Facts<'_>,
        into: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let value = self.value(contexts, facts)?;
        match (value, self.path.split_last()) {
            (Some(value), _) => insert(into, &self.path, value.into_owned()),
            // The context exists, and `has` may ask for the field.
            (None, Some((_, outer))) if self.context().is_some() => insert(into, outer, Value::Object(Map::new())),
            _ => {}
        }
        Ok(())
    }

    /// Returns the value, if there is one.
    ///
    /// # Errors
    ///
    /// If several contexts have the field.
    pub(crate) fn value<'v>(
        &'v self,
        contexts: &'v Contexts,
        facts: &Facts<'v>,
    ) -> Result<Option<Cow<'v, Value>>, String> {
        Ok(match &self.meaning {
            Meaning::Field { context, field } => contexts.get(context, field).map(Cow::Borrowed),
            Meaning::Context(context) => {
                contexts.fields(context).cloned().map(|fields| Cow::Owned(Value::Object(fields)))
            }
            Meaning::Bare(candidates) => {
                let name = self.path.first().map_or("", String::as_str);
                only(candidates, contexts, name)?.map(Cow::Borrowed)
            }
            Meaning::Attribute(value) => Some(Cow::Borrowed(value)),
            Meaning::ErrorCount => Some(Cow::Owned(Value::from(facts.errors.len()))),
            Meaning::Errors => Some(Cow::Owned(Value::from(facts.errors.to_vec()))),
            Meaning::ActiveState => Some(Cow::Owned(Value::from(facts.node))),
            Meaning::Item => facts.item.map(Cow::Borrowed),
            Meaning::Nothing => None,
        })
    }
}

/// Returns the field of a name that only one of the contexts has.
fn only<'c>(candidates: &[String], contexts: &'c Contexts, name: &str) -> Result<Option<&'c Value>, String> {
    let mut found = candidates.iter().filter_map(|context| Some((context, contexts.get(context, name)?)));
    match (found.next(), found.next()) {
        (Some((one, _)), Some((other, _))) => {
            Err(format!("several contexts have a field `{name}`: write `{one}.{name}` or `{other}.{name}`"))
        }
        (first, _) => Ok(first.map(|(_, value)| value)),
    }
}

fn attribute<'a>(mut attributes: impl Iterator<Item = &'a exo_rails_dygram::Attribute>, name: &str) -> Option<Meaning> {
    let attribute = attributes.find(|attribute| attribute.name == name)?;
    let value = attribute.value.as_ref().map_or(Value::Null, |value| json_of(value, attribute.ty.as_ref()));
    Some(Meaning::Attribute(value))
}

/// Finds the attribute of the machine in `machine.name`. No node is called `machine`.
fn of_machine(machine: &Machine, path: &[String]) -> Option<(usize, Meaning)> {
    match path {
        [first, name, ..] if first == "machine" => Some((2, attribute(machine.attributes.iter(), name)?)),
        _ => None,
    }
}

/// Finds the node, or the field of a node, that the longest part of the path names.
fn of_node(machine: &Machine, node: NodeId, path: &[String]) -> Option<(usize, Meaning)> {
    let names: Vec<_> = path.iter().map(String::as_str).collect();
    let resolve = |length: usize| match machine.resolve(Some(node), names.get(..length)?) {
        Found::Node(id, field) => Some((length, id, field)),
        _ => None,
    };
    let (length, id, field) = (1..=names.len()).rev().find_map(resolve)?;
    let is_context = machine.kind(id) == NodeKind::Context;
    let inside = field.as_deref().map_or(0, |field| field.split('.').count());
    match field.and_then(|field| field.split('.').next().map(str::to_owned)) {
        Some(field) if is_context => {
            Some((length - inside + 1, Meaning::Field { context: machine.path(id).to_owned(), field }))
        }
        Some(field) => Some((length - inside + 1, attribute(machine.node(id).attributes.iter(), &field)?)),
        // A context that declares no fields may have the next name as a field.
        None if is_context => match names.get(length) {
            Some(field) => {
                let meaning = Meaning::Field { context: machine.path(id).to_owned(), field: (*field).to_owned() };
                Some((length + 1, meaning))
            }
            None => Some((length, Meaning::Context(machine.path(id).to_owned()))),
        },
        None => None,
    }
}

fn bare(machine: &Machine, node: NodeId, name: &str) -> Meaning {
    let readable = machine.access(node).into_iter().filter(|access| access.reads.contains(name));
    let contexts: Vec<_> = readable.map(|access| access.context).collect();
    let paths = |is_one: &dyn Fn(&[exo_rails_dygram::Attribute]) -> bool| {
        let found = contexts.iter().filter(|id| is_one(&machine.node(**id).attributes));
        found.map(|id| machine.path(*id).to_owned()).collect::<Vec<_>>()
    };
    let declared = paths(&|fields| fields.iter().any(|field| field.name == name));
    if !declared.is_empty() {
        return Meaning::Bare(declared);
    }
    // Agents choose the fields of a context that declares none. Such a field must not stand in for another value.
    let known = match name {
        "item" => Some(Meaning::Item),
        _ => attribute(machine.attribute_around(node, name).into_iter(), name),
    };
    known.unwrap_or_else(|| match paths(&<[_]>::is_empty) {
        undeclared if undeclared.is_empty() => Meaning::Nothing,
        undeclared => Meaning::Bare(undeclared),
    })
}

/// Inserts a value at a path of names.
fn insert(into: &mut Map<String, Value>, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        match (into.get_mut(first), value) {
            // Another name has put a field of the same context there.
            (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
            (_, value) => drop(into.insert(first.clone(), value)),
        }
        return;
    }
    let inner = into.entry(first.clone()).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(inner) = inner {
        insert(inner, rest, value);
    }
}
