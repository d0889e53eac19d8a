//! Which nodes may read and write which contexts.

use std::collections::BTreeSet;

use super::{Edge, Machine, NodeId, NodeKind};
use crate::syntax::Arrow;

/// What an edge between a node and a context allows.
///
/// ```
/// use exo_rails_dygram::Fields;
///
/// let text = "Task plan; Context job { title<string>; notes<string>; }; plan -write: title-> job; plan -reads-> job;";
/// let machine = exo_rails_dygram::read("flow.dygram", text).machine;
/// let plan = machine.find("plan").expect("the file has the node");
/// let access = &machine.access(plan)[0];
/// assert_eq!(machine.path(access.context), "job");
/// assert!(access.writes.contains("title") && !access.writes.contains("notes"));
/// assert_eq!(access.reads, Fields::All);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The context.
    pub context: NodeId,
    /// The fields that the node may read.
    pub reads: Fields,
    /// The fields that the node may write.
    pub writes: Fields,
}

/// Fields of a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fields {
    /// All fields.
    All,
    /// The fields with these names, as the file writes them. There may be none.
    Only(BTreeSet<String>),
}

impl Default for Fields {
    fn default() -> Self {
        Self::Only(BTreeSet::new())
    }
}

impl Fields {
    /// Returns whether a field is one of these. The name is case-sensitive.
    #[must_use]
    pub fn contains(&self, field: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(field),
        }
    }

    /// Returns whether there are no fields.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Only(names) if names.is_empty())
    }

    fn add(&mut self, more: &Self) {
        match (&mut *self, more) {
            (Self::Only(names), Self::Only(more)) => names.extend(more.iter().cloned()),
            (_, Self::All) => *self = Self::All,
            (Self::All, Self::Only(_)) => {}
        }
    }
}

/// Words in labels, with whether they allow to read and to write.
const WORDS: [(&str, bool, bool); 12] = [
    ("read", true, false),
    ("reads", true, false),
    ("write", true, true),
    ("writes", true, true),
    ("update", true, true),
    ("updates", true, true),
    ("set", true, true),
    ("sets", true, true),
    ("store", false, true),
    ("stores", false, true),
    ("calculate", false, true),
    ("calculates", false, true),
];

/// Returns whether a word in a label gives permission to read, and to write.
pub(crate) fn permission(word: &str) -> Option<(bool, bool)> {
    WORDS.iter().find(|(other, ..)| word.eq_ignore_ascii_case(other)).map(|(_, reads, writes)| (*reads, *writes))
}

/// The words that give permissions, for "did you mean".
pub(crate) fn permission_words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(word, ..)| *word)
}

impl Edge {
    /// Returns the fields that the label lets a node read and write.
    ///
    /// The words `write`, `update` and `set` allow reading and writing. `store` and `calculate` allow only writing. Each word
    /// may end in `s`. A label with other words, or without words, allows reading all fields. Names after `write:` limit the
    /// permission to these fields.
    #[must_use]
    pub fn permissions(&self) -> (Fields, Fields) {
        let mut granted = (Fields::default(), Fields::default());
        let mut found = false;
        let mut named: Option<(bool, bool)> = None;
        for part in &self.label {
            let text = part.value.as_str();
            let word = part.name.as_deref();
            if word.is_some() {
                named = word.and_then(permission);
            }
            // Texts behind `write: a` are further fields.
            let (rights, fields) = match (named, text) {
                (Some(rights), text) => (rights, Fields::Only(fields_in(text, &part.value))),
                (None, Some(text)) if word.is_none() => match permission(text) {
                    Some(rights) => (rights, Fields::All),
                    None => continue,
                },
                _ => continue,
            };
            found = true;
            if rights.0 {
                granted.0.add(&fields);
            }
            if rights.1 {
                granted.1.add(&fields);
            }
        }
        if !found {
            granted.0 = Fields::All;
        }
        granted
    }

    /// Returns whether the label gives permissions, and can mean nothing else.
    ///
    /// Words such as `update` are also names of transitions.
    pub(crate) fn is_surely_access(&self) -> bool {
        let is_word = |text: &str| ["reads", "writes", "stores"].iter().any(|word| text.eq_ignore_ascii_case(word));
        // `read: job.title` names another node, so the target is not the context.
        self.texts().any(is_word) || self.permission_fields().iter().any(|(_, field)| !field.contains('.'))
    }

    /// Returns the fields that the label names, with the index of the part of the label.
    pub(crate) fn permission_fields(&self) -> Vec<(usize, String)> {
        let mut fields = Vec::new();
        let mut is_named = false;
        for (at, part) in self.label.iter().enumerate() {
            if let Some(name) = &part.name {
                is_named = permission(name).is_some();
            }
            if is_named {
                fields.extend(fields_in(part.value.as_str(), &part.value).into_iter().map(|field| (at, field)));
            }
        }
        fields
    }
}

fn fields_in(text: Option<&str>, value: &super::Value) -> BTreeSet<String> {
    let names =
        |text: &str| text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    match value {
        super::Value::List(values) => values.iter().filter_map(|value| value.as_str()).map(str::to_owned).collect(),
        super::Value::Bool(value) => BTreeSet::from([value.to_string()]),
        _ => text.map(names).unwrap_or_default(),
    }
}

impl Machine {
    /// Returns the node and the context of an edge that gives permissions. Returns `None` for other edges.
    ///
    /// Such an edge has a context at exactly one end, and its arrow is `->`, `-->`, `=>` or `<-->`.
    #[must_use]
    pub fn accessed(&self, edge: &Edge) -> Option<(NodeId, NodeId)> {
        let is_arrow = !matches!(edge.arrow, Arrow::Inherit | Arrow::Compose | Arrow::Aggregate);
        let (source, target) = (self.kind(edge.source.node), self.kind(edge.target.node));
        match (source, target) {
            (kind, NodeKind::Context) if is_arrow && kind.is_control() => Some((edge.source.node, edge.target.node)),
            (NodeKind::Context, kind) if is_arrow && kind.is_control() => Some((edge.target.node, edge.source.node)),
            _ => None,
        }
    }

    /// Returns the contexts that a node may read or write, each once, in the order of the file.
    ///
    /// An edge from a context to a node allows only reading. An edge to a context also applies to the contexts in it, unless it
    /// names other fields. A node may also read what a node around it may read or write, unless it has its own edge to the
    /// context.
    #[must_use]
    pub fn access(&self, node: NodeId) -> Vec<Access> {
        let mut all = self.own_access(node);
        for ancestor in self.ancestors(node) {
            for access in self.own_access(ancestor) {
                if all.iter().all(|known| known.context != access.context) {
                    let mut reads = access.reads;
                    reads.add(&access.writes);
                    all.push(Access { context: access.context, reads, writes: Fields::default() });
                }
            }
        }
        all
    }

    fn own_access(&self, node: NodeId) -> Vec<Access> {
        let mut all: Vec<Access> = Vec::new();
        let edges = self.outgoing(node).chain(self.incoming(node));
        for (_, edge) in edges {
            let Some((_, context)) = self.accessed(edge).filter(|(user, _)| *user == node) else { continue };
            let granted = granted_by(edge, context);
            match all.iter_mut().find(|known| known.context == context) {
                Some(known) => {
                    known.reads.add(&granted.reads);
                    known.writes.add(&granted.writes);
                }
                None => all.push(granted),
            }
        }
        self.add_inner(&mut all);
        all
    }

    /// Adds the contexts in contexts. A context with an edge of its own has only the permissions of this edge.
    fn add_inner(&self, all: &mut Vec<Access>) {
        let own: BTreeSet<_> = all.iter().map(|access| access.context).collect();
        let mut at = 0;
        while let Some(outer) = all.get(at).cloned() {
            at += 1;
            let inner = self.children(outer.context).iter().filter(|id| self.kind(**id) == NodeKind::Context);
            for context in inner.copied().filter(|context| !own.contains(context)) {
                let name = &self.node(context).name;
                let part = |fields: &Fields| if fields.contains(name) { Fields::All } else { Fields::default() };
                let access = Access { context, reads: part(&outer.reads), writes: part(&outer.writes) };
                if !access.reads.is_empty() || !access.writes.is_empty() {
                    all.push(access);
                }
            }
        }
    }
}

fn granted_by(edge: &Edge, context: NodeId) -> Access {
    let (mut reads, mut writes) = edge.permissions();
    if edge.source.node == context {
        reads.add(&writes);
        writes = Fields::default();
    }
    // An edge to `job.title` is about this field.
    let end = if edge.source.node == context { &edge.source } else { &edge.target };
    if let Some(field) = end.attribute.as_ref().and_then(|path| path.split('.').next()) {
        let only = |fields: &Fields| {
            let field = fields.contains(field).then(|| field.to_owned());
            Fields::Only(field.into_iter().collect())
        };
        (reads, writes) = (only(&reads), only(&writes));
    }
    Access { context, reads, writes }
}
