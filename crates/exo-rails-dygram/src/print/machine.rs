//! Writes a machine as a file that means the same.

use std::fmt::{self, Write};

use crate::model::{Annotation, Argument, Attribute, Edge, Endpoint, LabelPart, Machine, Node, NodeId, Note, Value};
use crate::syntax::{Arrow, quote};

/// Writes a file that means the same machine.
///
/// Nodes come first, each with the nodes in it. Edges follow, one on each line, and then notes. Edges and notes use whole
/// paths. Imported nodes are written as if the file declared them. The output omits nodes that no statement declares, because
/// the edges declare them again.
///
/// An attribute of a node that has neither a type nor a value gets the value `null`. Without it, the grammar would read the
/// name as a node.
///
/// ```
/// let text = "machine \"Flow\"; plan -> review, done; Task plan { prompt: \"Plan\"; }";
/// let machine = exo_rails_dygram::read("flow.dygram", text).machine;
/// let printed = machine.to_string();
/// assert_eq!(printed, "machine \"Flow\"\n\nTask plan {\n    prompt: \"Plan\";\n}\n\nplan -> review;\nplan -> done;\n");
/// assert_eq!(exo_rails_dygram::read("printed.dygram", &printed).machine, machine);
/// ```
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sections = [self.head(), self.declarations(), self.lines_of_edges(), self.lines_of_notes()];
        let sections: Vec<_> = sections.into_iter().filter(|section| !section.is_empty()).collect();
        f.write_str(&sections.join("\n"))
    }
}

impl Machine {
    fn head(&self) -> String {
        if self.title.is_none() && self.annotations.is_empty() {
            return self.attributes.iter().map(|attribute| member(attribute) + "\n").collect();
        }
        let title = quote(self.title.as_deref().unwrap_or_default());
        let mut head = format!("machine {title}{}", annotations(&self.annotations));
        if !self.attributes.is_empty() {
            head += " {\n";
            head.extend(
                self.attributes.iter().flat_map(|attribute| ["    ".to_owned(), entry(attribute), "\n".to_owned()]),
            );
            head += "}";
        }
        head + "\n"
    }

    fn declarations(&self) -> String {
        let mut text = String::new();
        for root in self.roots() {
            self.declaration(&mut text, *root, 0);
        }
        text
    }

    /// The levels of nodes are limited, so the recursion is too.
    fn declaration(&self, text: &mut String, id: NodeId, depth: usize) {
        if self.is_left_out(id) {
            return;
        }
        let node = self.node(id);
        let indent = "    ".repeat(depth);
        let type_name = node.type_name.as_ref().map_or_else(String::new, |name| format!("{name} "));
        let title = title_and_annotations(node.title.as_ref(), &node.annotations);
        let _ = write!(text, "{indent}{type_name}{}{title}", node.name);
        let children: Vec<_> = self.children(id).iter().filter(|child| !self.is_left_out(**child)).collect();
        if children.is_empty() && node.attributes.is_empty() {
            text.push_str(";\n");
            return;
        }
        text.push_str(" {\n");
        for attribute in &node.attributes {
            let _ = writeln!(text, "{indent}    {}", member(attribute));
        }
        for child in children {
            self.declaration(text, *child, depth + 1);
        }
        let _ = writeln!(text, "{indent}}}");
    }

    /// Returns whether edges imply a node with everything in it.
    fn is_left_out(&self, id: NodeId) -> bool {
        let node = self.node(id);
        let plain = Node { is_implied: true, ..Node::named(&node.name) };
        let is_named = || self.outgoing(id).chain(self.incoming(id)).next().is_some();
        let children = self.children(id);
        *node == plain && (is_named() || !children.is_empty()) && children.iter().all(|child| self.is_left_out(*child))
    }

    fn lines_of_edges(&self) -> String {
        self.edges().iter().map(|edge| self.line_of_edge(edge) + "\n").collect()
    }

    fn line_of_edge(&self, edge: &Edge) -> String {
        let multiplicity = |text: &Option<String>| text.as_ref().map_or_else(String::new, |text| quote(text) + " ");
        let source = multiplicity(&edge.source_multiplicity);
        let target = multiplicity(&edge.target_multiplicity);
        let mut line = format!("{} {source}{} {target}{}", self.end(&edge.source), arrow(edge), self.end(&edge.target));
        if !edge.attributes.is_empty() {
            let attributes: Vec<_> = edge.attributes.iter().map(entry).collect();
            let _ = write!(line, " {{ {} }}", attributes.join(" "));
        }
        line + ";"
    }

    fn end(&self, end: &Endpoint) -> String {
        let path = self.path(end.node);
        end.attribute.as_ref().map_or_else(|| path.to_owned(), |attribute| format!("{path}.{attribute}"))
    }

    fn lines_of_notes(&self) -> String {
        self.notes().iter().map(|note| self.note(note)).collect()
    }

    fn note(&self, note: &Note) -> String {
        let head =
            format!("Note {}{}", self.path(note.target), title_and_annotations(note.title.as_ref(), &note.annotations));
        if note.attributes.is_empty() {
            return head + ";\n";
        }
        let members: Vec<_> = note.attributes.iter().map(|attribute| format!("    {}", member(attribute))).collect();
        format!("{head} {{\n{}\n}}\n", members.join("\n"))
    }
}

fn title_and_annotations(title: Option<&String>, all: &[Annotation]) -> String {
    title.map_or_else(String::new, |title| format!(" {}", quote(title))) + &annotations(all)
}

fn annotations(all: &[Annotation]) -> String {
    all.iter().flat_map(|one| [" ".to_owned(), annotation(one)]).collect()
}

fn annotation(annotation: &Annotation) -> String {
    let name = &annotation.name;
    match &annotation.argument {
        Argument::Value(argument) => format!("@{name}({})", value(argument)),
        Argument::Parameters(parameters) if !parameters.is_empty() => {
            let parameter = |(name, v): &(String, Option<Value>)| match v {
                Some(v) => format!("{name}: {}", value(v)),
                None => name.clone(),
            };
            // A semicolon tells a single name from a value.
            let end = if matches!(parameters.as_slice(), [(_, None)]) { ";" } else { "" };
            let parameters: Vec<_> = parameters.iter().map(parameter).collect();
            format!("@{name}({}{end})", parameters.join("; "))
        }
        Argument::None | Argument::Parameters(_) => format!("@{name}"),
    }
}

/// An attribute among nodes.
fn member(attribute: &Attribute) -> String {
    match (&attribute.ty, &attribute.value) {
        (None, None) => format!("{}: null;", attribute.name),
        _ => entry(attribute),
    }
}

/// An attribute among attributes.
fn entry(attribute: &Attribute) -> String {
    let ty = attribute.ty.as_ref().map_or_else(String::new, |ty| format!("<{ty}>"));
    let value = attribute.value.as_ref().map_or_else(String::new, |v| format!(": {}", value(v)));
    format!("{}{ty}{value};", attribute.name)
}

fn value(v: &Value) -> String {
    match v {
        Value::Text(text) => quote(text),
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Null => "null".to_owned(),
        Value::Name(name) => name.clone(),
        Value::External(name) => format!("#{name}"),
        Value::List(values) => format!("[{}]", values.iter().map(value).collect::<Vec<_>>().join(", ")),
        Value::Object(attributes) if attributes.is_empty() => "{}".to_owned(),
        Value::Object(attributes) => format!("{{ {} }}", attributes.iter().map(entry).collect::<Vec<_>>().join(" ")),
    }
}

fn arrow(edge: &Edge) -> String {
    let parts: Vec<_> = edge.label.iter().map(part).collect();
    let annotations: Vec<_> = edge.annotations.iter().map(annotation).collect();
    let label =
        [annotations.join(" "), parts.join(", ")].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
    let label = label.join(" ");
    match edge.arrow.label_start() {
        _ if label.is_empty() => edge.arrow.to_string(),
        None if edge.arrow == Arrow::Both => format!("<--{label}-->"),
        None => edge.arrow.to_string(),
        // `o-->` would be another arrow.
        Some(start) if ends_with_o(&label) => format!("{start}{label} {}", edge.arrow),
        Some(start) => format!("{start}{label}{}", edge.arrow),
    }
}

fn ends_with_o(label: &str) -> bool {
    let before = label.strip_suffix('o').map(|before| before.chars().next_back());
    before.is_some_and(|last| last.is_none_or(|last| !crate::syntax::is_word(last)))
}

fn part(part: &LabelPart) -> String {
    let text = value(&part.value);
    part.name.as_ref().map_or_else(|| text.clone(), |name| format!("{name}: {text}"))
}
