//! Connects the nodes of a file.

use exo_rails_text::names::nearest;

use super::{Builder, MAX_SEARCHES};
use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::model::{Edge, Endpoint, Found, LabelPart, Node, NodeId};
use crate::syntax::{self, Path, is_keyword};

/// How many edges a file may have, and how many bytes they may copy. A chain with many sources and targets has an edge for each
/// pair of them, and each edge has the label and the attributes of the chain.
const MAX_EDGES: usize = 100_000;
const MAX_COPIED: usize = 32 << 20;

impl Builder<'_> {
    pub(super) fn connect(&mut self) {
        for (within, edge) in std::mem::take(&mut self.edges) {
            if !self.connect_chain(within, edge) {
                return;
            }
        }
    }

    /// Adds the edges of a chain. Returns whether there is room for more.
    fn connect_chain(&mut self, within: Option<NodeId>, edge: &syntax::Edge) -> bool {
        // Names are read in the order in which the edges name them. So the printed edges imply nodes in the same order.
        let (first, mut others) = edge.sources.split_at(edge.sources.len().min(1));
        let mut sources = self.endpoints(within, first);
        if let (true, Some(node)) = (edge.sources.is_empty(), within) {
            sources.push(Endpoint { place: self.place(edge.span), ..Endpoint::from(node) });
        }
        for segment in &edge.segments {
            let targets = self.endpoints(within, &segment.targets);
            sources.extend(self.endpoints(within, std::mem::take(&mut others)));
            let pairs = sources.len().saturating_mul(targets.len());
            let attributes: usize = edge.attributes.iter().map(|attribute| length(attribute.span)).sum();
            self.copied = self.copied.saturating_add(pairs.saturating_mul(length(segment.span) + attributes));
            if self.machine.edges().len().saturating_add(pairs) > MAX_EDGES || self.copied > MAX_COPIED {
                let message = "the file has too many edges, or their labels are too long";
                let found = Diagnostic::error("too-many-edges", self.place(segment.span), message);
                self.diagnostics.push(found.with_help("put fewer nodes before and after an arrow"));
                return false;
            }
            let template = self.template(edge, segment);
            for source in &sources {
                for target in &targets {
                    let edge = Edge { source: source.clone(), target: target.clone(), ..template.clone() };
                    // Both ends are of this machine.
                    let _ = self.machine.add_edge(edge);
                }
            }
            sources = targets;
        }
        true
    }

    /// Returns what the edges of a segment have in common. Its ends are replaced.
    fn template(&mut self, edge: &syntax::Edge, segment: &syntax::Segment) -> Edge {
        let attributes = self.attributes(&edge.attributes);
        self.check_attributes(&attributes, "the edge");
        let part = |part: &syntax::LabelPart| LabelPart {
            name: part.name.as_ref().map(|name| name.text.clone()),
            value: self.value(&part.value),
            place: self.place(part.value.span),
        };
        let label = segment.label.iter().map(part).collect();
        let text = |text: &Option<syntax::Text>| text.as_ref().map(|text| text.value.clone());
        let nowhere = NodeId::FIRST;
        Edge {
            arrow: segment.arrow,
            label,
            annotations: self.annotations(&segment.annotations),
            attributes,
            source_multiplicity: text(&segment.source_multiplicity),
            target_multiplicity: text(&segment.target_multiplicity),
            place: self.place(segment.span),
            ..Edge::new(nowhere, nowhere)
        }
    }

    fn endpoints(&mut self, within: Option<NodeId>, paths: &[Path]) -> Vec<Endpoint> {
        let endpoint = |path: &Path| {
            let (node, attribute) = self.lookup(within, path).or_else(|| Some((self.imply(path)?, None)))?;
            Some(Endpoint { node, attribute, place: self.place(path.span) })
        };
        paths.iter().filter_map(endpoint).collect()
    }

    /// Finds a node, or an attribute of it. Reports a name of several nodes, and takes the first one.
    pub(super) fn lookup(&mut self, within: Option<NodeId>, path: &Path) -> Option<(NodeId, Option<String>)> {
        let names: Vec<_> = path.names.iter().map(|name| name.text.as_str()).collect();
        match self.machine.resolve(within, &names) {
            Found::Node(id, attribute) => Some((id, attribute)),
            Found::Several(nodes) => {
                let paths: Vec<_> = nodes.iter().map(|id| format!("`{}`", self.machine.path(*id))).collect();
                let message = format!("`{path}` is the name of {} nodes", nodes.len());
                let found = Diagnostic::new(self.severity(), "ambiguous-node", self.place(path.span), message);
                self.diagnostics.push(found.with_help(format!("write one of {}", paths.join(", "))));
                nodes.first().map(|id| (*id, None))
            }
            Found::Nothing => None,
        }
    }

    /// Reports a node that is not declared, and declares it.
    fn imply(&mut self, path: &Path) -> Option<NodeId> {
        if let Some(name) = path.names.iter().find(|name| is_keyword(&name.text)) {
            let message = format!("`{}` is a keyword, so it cannot be the name of a node", name.text);
            let found = Diagnostic::error("keyword", self.place(name.span), message);
            self.diagnostics.push(found.with_help("give the node another name"));
            return None;
        }
        self.unknown_node(path, "an edge names it", self.severity());
        let mut parent = None;
        for name in &path.names {
            let node = Node { is_implied: true, place: self.place(name.span), ..Node::named(&name.text) };
            let known = parent
                .map_or_else(|| name.text.clone(), |parent| format!("{}.{}", self.machine.path(parent), name.text));
            let id = self.machine.find(&known).or_else(|| self.add_new(parent, node));
            parent = Some(id?);
        }
        parent
    }

    pub(super) fn unknown_node(&mut self, path: &Path, why: &str, severity: Severity) {
        let text = path.to_string();
        let similar = self.similar_node(&text);
        let name = path.names.last().map_or("", |name| &name.text);
        let help = match similar {
            Some(similar) => format!("write `{similar}`, or declare the node: `State {name};`"),
            None => format!("declare it, such as `State {name};` or `Context {name};`"),
        };
        let message = format!("no node is called `{text}`, and {why}");
        let found = Diagnostic::new(severity, "unknown-node", self.place(path.span), message);
        self.diagnostics.push(found.with_help(help));
    }

    fn similar_node(&mut self, text: &str) -> Option<String> {
        self.searches += 1;
        if self.searches > MAX_SEARCHES {
            return None;
        }
        nearest(text, &self.machine.callable_names().collect::<Vec<_>>()).map(str::to_owned)
    }
}

fn length(span: Span) -> usize {
    span.end.saturating_sub(span.start)
}
