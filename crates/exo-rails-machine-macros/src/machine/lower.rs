//! Makes the model of a machine, and runs the checks of the language on it.

use std::collections::{BTreeMap, BTreeSet};

use exo_rails_dygram as dygram;
use exo_rails_dygram::syntax::Arrow;
use exo_rails_dygram::{Argument, Attribute, Endpoint, FileId, LabelPart, NodeId, Place, Value};
use exo_rails_text::names::nearest;
use proc_macro2::Span;
use quote::ToTokens;
use syn::{Error, Expr, Ident, Lit, Result};

use super::advice::advice;
use super::reads::{List, Read, Reads};
use super::tree::{self, Annotation, Edge, Grant, Kind, Machine, Node, path_in};

/// The attribute of an edge that has the text of its condition. The executor finds the function of the condition by it.
const CONDITION: &str = "rust";

/// The model of a machine, and what it does not have.
pub(super) struct Lowered<'a> {
    pub(super) model: dygram::Machine,
    /// The conditions, with the numbers of their edges in the model.
    pub(super) conditions: Vec<(usize, &'a Expr)>,
    /// The fields of contexts that the machine names, at each of their places.
    pub(super) fields: Vec<(Ident, Ident)>,
    /// The lists for whose items edges start paths.
    pub(super) lists: Vec<List>,
    /// The uses of tools, with the paths of their nodes.
    pub(super) uses: Vec<(String, &'a Ident)>,
}

/// Makes the model, and reports all mistakes in it.
pub(super) fn lower(machine: &Machine) -> Result<Lowered<'_>> {
    let mut lowering = Lowering::new(machine);
    lowering.contexts();
    lowering.nodes(&machine.nodes, None, "");
    for (node, path) in machine.all() {
        lowering.grants(node, &path);
        lowering.edges(node, &path);
    }
    lowering.reads();
    if lowering.errors.is_none() {
        lowering.checks();
    }
    match lowering.errors {
        Some(errors) => Err(errors),
        None => Ok(lowering.lowered),
    }
}

struct Lowering<'a> {
    machine: &'a Machine,
    lowered: Lowered<'a>,
    ids: BTreeMap<String, NodeId>,
    /// The tokens at the places of the model. A place has the number of its token.
    spans: Vec<Span>,
    errors: Option<Error>,
}

impl<'a> Lowering<'a> {
    fn new(machine: &'a Machine) -> Self {
        let model = dygram::Machine::new();
        let lowered =
            Lowered { model, conditions: Vec::new(), fields: Vec::new(), lists: Vec::new(), uses: Vec::new() };
        let mut lowering = Self { machine, lowered, ids: BTreeMap::new(), spans: Vec::new(), errors: None };
        let title = machine.title.as_ref().map_or_else(|| machine.name.to_string(), syn::LitStr::value);
        lowering.lowered.model.title = Some(title);
        lowering.lowered.model.annotations = lowering.annotations(&machine.annotations);
        lowering
    }

    fn report(&mut self, span: Span, message: impl std::fmt::Display) {
        let error = Error::new(span, message);
        match &mut self.errors {
            Some(errors) => errors.combine(error),
            None => self.errors = Some(error),
        }
    }

    fn place(&mut self, span: Span) -> Place {
        self.spans.push(span);
        let number = self.spans.len() - 1;
        Place::new(FileId::default(), dygram::Span::new(number, number + 1))
    }

    /// Adds the contexts, each with all fields that the machine names. The compiler checks whether the types have them.
    fn contexts(&mut self) {
        let mut fields = self.named_fields();
        for context in &self.machine.contexts {
            let name = context.name.to_string();
            let attributes = fields.remove(&name).unwrap_or_default().into_iter().map(|field| attribute(field, None));
            let node = dygram::Node {
                type_name: Some("Context".to_owned()),
                attributes: attributes.collect(),
                place: self.place(context.name.span()),
                ..dygram::Node::named(name.clone())
            };
            self.add(None, node, name, context.name.span());
        }
    }

    /// Returns the names of the fields of each context, and notes their places.
    fn named_fields(&mut self) -> BTreeMap<String, BTreeSet<String>> {
        let contexts: Vec<_> = self.machine.contexts.iter().map(|context| &context.name).collect();
        let mut found: Vec<(Ident, Ident)> = Vec::new();
        for (node, _) in self.machine.all() {
            for Grant { context, fields, .. } in &node.grants {
                found.extend(fields.iter().flatten().map(|field| (context.clone(), field.clone())));
            }
            let reads = reads_of(node, &contexts).into_iter();
            found.extend(reads.filter_map(|Read { context, field }| Some((context, field?))));
        }
        let mut fields: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (context, field) in &found {
            fields.entry(context.to_string()).or_default().insert(field.to_string());
        }
        self.lowered.fields = found;
        fields
    }

    fn nodes(&mut self, nodes: &'a [Node], parent: Option<NodeId>, outer: &str) {
        for node in nodes {
            let path = path_in(outer, &node.name);
            let model = dygram::Node {
                type_name: Some(node.kind.type_name().to_owned()),
                title: node.title.as_ref().map(syn::LitStr::value),
                annotations: self.annotations(&node.annotations),
                attributes: self.attributes(node),
                place: self.place(node.name.span()),
                ..dygram::Node::named(node.name.to_string())
            };
            let Some(id) = self.add(parent, model, path.clone(), node.name.span()) else { continue };
            self.nodes(&node.nodes, Some(id), &path);
        }
    }

    fn add(&mut self, parent: Option<NodeId>, node: dygram::Node, path: String, span: Span) -> Option<NodeId> {
        match self.lowered.model.add_node(parent, node) {
            Ok(id) => {
                self.ids.insert(path, id);
                Some(id)
            }
            Err(dygram::AddError::Duplicate(_)) => {
                self.report(span, format!("`{path}` is the name of a context and of a node: rename one of the two"));
                None
            }
            Err(error) => {
                self.report(span, error);
                None
            }
        }
    }

    fn attributes(&mut self, node: &Node) -> Vec<Attribute> {
        let text = |text: &syn::LitStr| Value::Text(text.value());
        let mut attributes = Vec::new();
        if let Some(prompt) = &node.prompt {
            let mut attribute = attribute("prompt".to_owned(), Some(text(prompt)));
            attribute.value_place = self.place(prompt.span());
            attributes.push(attribute);
        }
        attributes.extend(node.agent.as_ref().map(|agent| attribute("agent".to_owned(), Some(text(agent)))));
        attributes.extend(node.meta.map(|_| attribute("meta".to_owned(), Some(Value::Bool(true)))));
        attributes
    }

    fn annotations(&mut self, annotations: &[Annotation]) -> Vec<dygram::Annotation> {
        let mut all = Vec::new();
        for Annotation { name, value } in annotations {
            let argument = match value.as_ref().map(|value| argument(name, value)) {
                Some(Err(error)) => {
                    self.report(error.span(), error);
                    continue;
                }
                Some(Ok(value)) => Argument::Value(value),
                None => Argument::None,
            };
            all.push(dygram::Annotation { name: name.to_string(), argument, place: self.place(name.span()) });
        }
        all
    }

    fn grants(&mut self, node: &'a Node, path: &str) {
        for Grant { writes, context, fields } in &node.grants {
            let ends = (self.ids.get(path).copied(), self.ids.get(&context.to_string()).copied());
            let (Some(source), Some(target)) = ends else { continue };
            let place = self.place(context.span());
            let (word, words) = if *writes { ("write", "writes") } else { ("read", "reads") };
            let label = match fields {
                None => LabelPart { name: None, value: words.into(), place },
                Some(fields) => {
                    let names: Vec<_> = fields.iter().map(ToString::to_string).collect();
                    LabelPart { name: Some(word.to_owned()), value: Value::Text(names.join(", ")), place }
                }
            };
            let edge =
                dygram::Edge { arrow: Arrow::Single, label: vec![label], place, ..dygram::Edge::new(source, target) };
            self.add_edge(edge, context.span());
        }
        self.lowered.lists.extend(lists(node));
        self.lowered.uses.extend(node.uses.iter().map(|tool| (path.to_owned(), tool)));
    }

    fn edges(&mut self, node: &'a Node, path: &str) {
        for edge in &node.edges {
            let Some(source) = self.ids.get(path).copied() else { continue };
            let Some(target) = self.target(node, path, edge) else { continue };
            let place = self.place(edge.target.first().map_or(edge.arrow, Ident::span));
            let label = edge.label.iter().map(|text| LabelPart { name: None, value: Value::Text(text.value()), place });
            let label = label.collect();
            let condition = edge
                .condition
                .as_ref()
                .map(|condition| attribute(CONDITION.to_owned(), Some(Value::Text(text_of(condition)))));
            let model = dygram::Edge {
                label,
                annotations: self.annotations(&edge.annotations),
                attributes: condition.into_iter().collect(),
                place,
                ..dygram::Edge::new(source, Endpoint { node: target, attribute: None, place })
            };
            let number = self.lowered.model.edges().len();
            if self.add_edge(model, edge.arrow) {
                self.lowered.conditions.extend(edge.condition.as_ref().map(|condition| (number, condition)));
            }
        }
    }

    fn add_edge(&mut self, edge: dygram::Edge, span: Span) -> bool {
        let added = self.lowered.model.add_edge(edge);
        if let Err(error) = &added {
            self.report(span, error);
        }
        added.is_ok()
    }

    /// Returns the target of an edge: a node beside the source, or beside a node around it.
    fn target(&mut self, node: &Node, path: &str, edge: &Edge) -> Option<NodeId> {
        let name = edge.target.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
        let nodes: BTreeMap<_, _> = self.machine.all().into_iter().map(|(node, path)| (path, node)).collect();
        let mut outer = path;
        loop {
            outer = outer.rsplit_once('.').map_or("", |(outer, _)| outer);
            let whole = if outer.is_empty() { name.clone() } else { format!("{outer}.{name}") };
            if nodes.contains_key(&whole) {
                return self.ids.get(&whole).copied();
            }
            if outer.is_empty() {
                break;
            }
        }
        let span = edge.target.first().map_or(edge.arrow, Ident::span);
        let inner = nodes.keys().find(|path| path.ends_with(&format!(".{name}")));
        let similar = nearest(&name, &nodes.keys().map(String::as_str).collect::<Vec<_>>());
        let message = match inner.map(String::as_str).or(similar) {
            Some(similar) => format!("there is no node `{name}` here: did you mean `{similar}`?"),
            None => format!(
                "there is no node `{name}`: declare it, such as `state {name};`, or remove the edge of `{}`",
                node.name
            ),
        };
        self.report(span, message);
        None
    }

    /// What conditions, prompts and lists read, their node may read.
    fn reads(&mut self) {
        let contexts: Vec<_> = self.machine.contexts.iter().map(|context| &context.name).collect();
        for (node, path) in self.machine.all() {
            for read in reads_of(node, &contexts) {
                self.may_read(&node.name, &path, &read);
            }
        }
    }

    fn may_read(&mut self, node: &Ident, path: &str, read: &Read) {
        let context = &read.context;
        let ids = (self.ids.get(path).copied(), self.ids.get(&context.to_string()).copied());
        let (Some(id), Some(of_context)) = ids else { return };
        let access = self.lowered.model.access(id).into_iter().find(|access| access.context == of_context);
        let reads = access.map(|access| access.reads).unwrap_or_default();
        let message = match &read.field {
            Some(field) if !reads.contains(&field.to_string()) => {
                let message = format!("`{node}` may not read `{field}` of `{context}`");
                match similar(&field.to_string(), &reads) {
                    Some(similar) => format!("{message}: did you mean `{similar}`?"),
                    None => format!("{message}: add `reads {context} {{ {field} }};` to it"),
                }
            }
            None if reads != dygram::Fields::All => {
                format!("`{node}` may not read all of `{context}`: add `reads {context};` to it, or name a field here")
            }
            _ => return,
        };
        self.report(read.span(), message);
    }

    /// Runs the checks of strict files. In place of each condition, the model has a name that they know.
    fn checks(&mut self) {
        let mut model = dygram::Machine::new();
        let of_machine = &self.lowered.model;
        model.annotations.clone_from(&of_machine.annotations);
        for id in of_machine.ids() {
            let _ = model.add_node(of_machine.parent(id), of_machine.node(id).clone());
        }
        for (number, edge) in of_machine.edges().iter().enumerate() {
            let mut edge = edge.clone();
            edge.attributes.clear();
            if self.lowered.conditions.iter().any(|(of_edge, _)| *of_edge == number) {
                let name = format!("condition{number}");
                let value = Value::Text(name.clone());
                edge.label.push(LabelPart { name: Some("when".to_owned()), value, place: edge.place });
                model.attributes.push(attribute(name, None));
            }
            let _ = model.add_edge(edge);
        }
        for found in dygram::check(&model, true) {
            let Some(span) = self.spans.get(found.place.span.start).copied() else { continue };
            self.report(span, advice(&found));
        }
        self.ends();
    }

    /// A node that ends the machine asks for nothing.
    fn ends(&mut self) {
        for (node, _) in self.machine.all() {
            if let (Kind::End, Some(prompt)) = (node.kind, &node.prompt) {
                self.report(prompt.span(), "an end has no prompt: write a task before it");
            }
        }
    }
}

/// Returns what a node reads.
fn reads_of(node: &Node, contexts: &[&Ident]) -> Vec<Read> {
    let conditions = node.edges.iter().filter_map(|edge| edge.condition.as_ref());
    let mut all: Vec<_> = conditions.flat_map(|condition| Reads::of(condition, contexts).all).collect();
    all.extend(node.prompt.iter().flat_map(|prompt| Read::of_prompt(prompt, contexts)));
    all.extend(lists(node).map(List::read));
    all
}

/// Returns the lists for whose items the edges of a node start paths.
pub(super) fn lists(node: &Node) -> impl Iterator<Item = List> {
    node.edges.iter().flat_map(|edge| &edge.annotations).filter_map(|annotation| List::of(annotation)?.ok())
}

/// Returns a readable field with nearly this name.
fn similar(field: &str, reads: &dygram::Fields) -> Option<String> {
    match reads {
        dygram::Fields::Only(names) => {
            nearest(field, &names.iter().map(String::as_str).collect::<Vec<_>>()).map(str::to_owned)
        }
        dygram::Fields::All => None,
    }
}

/// Returns the text of a condition.
pub(super) fn text_of(condition: &Expr) -> String {
    condition.to_token_stream().to_string()
}

fn attribute(name: String, value: Option<Value>) -> Attribute {
    Attribute { name, ty: None, value, place: Place::default(), value_place: Place::default() }
}

/// Returns the value of an annotation. Only those for lists and nodes have names.
fn argument(name: &Ident, value: &tree::Argument) -> Result<Value> {
    let message = "write a text, a number or a boolean";
    let suffix = match value {
        tree::Argument::Literal(Lit::Int(number)) => number.suffix(),
        tree::Argument::Literal(Lit::Float(number)) => number.suffix(),
        _ => "",
    };
    match value {
        tree::Argument::Literal(literal) if !suffix.is_empty() => {
            Err(Error::new(literal.span(), format!("write the number without `{suffix}`")))
        }
        tree::Argument::Literal(literal) => value_of(literal).ok_or_else(|| Error::new(literal.span(), message)),
        tree::Argument::Names(names) if ["map", "foreach", "each", "compensate"].iter().any(|other| name == other) => {
            Ok(Value::Text(names.iter().map(ToString::to_string).collect::<Vec<_>>().join(".")))
        }
        tree::Argument::Names(names) => {
            Err(Error::new(names.first().map_or_else(|| name.span(), Ident::span), message))
        }
    }
}

fn value_of(literal: &Lit) -> Option<Value> {
    match literal {
        Lit::Str(text) => Some(Value::Text(text.value())),
        Lit::Bool(value) => Some(Value::Bool(value.value)),
        Lit::Int(number) => number.base10_digits().parse().ok().map(Value::Number),
        Lit::Float(number) => number.base10_digits().parse().ok().map(Value::Number),
        _ => None,
    }
}
