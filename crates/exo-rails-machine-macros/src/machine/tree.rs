//! The tree of `machine!`.

use proc_macro2::Span;
use syn::{Attribute, Expr, Ident, Lit, LitStr, Path, Type, Visibility};

/// The path of the library, which the wrapper of the macro adds, then what the user writes.
pub(super) struct Input {
    pub(super) library: Path,
    pub(super) machine: Machine,
}

/// A machine.
pub(super) struct Machine {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) name: Ident,
    pub(super) title: Option<LitStr>,
    pub(super) annotations: Vec<Annotation>,
    /// The type of the tools.
    pub(super) tools: Option<Type>,
    pub(super) contexts: Vec<Context>,
    pub(super) nodes: Vec<Node>,
}

/// `context order: Order;`
pub(super) struct Context {
    pub(super) name: Ident,
    pub(super) ty: Type,
}

/// A node, such as `task Check { … }`.
pub(super) struct Node {
    pub(super) docs: Vec<Attribute>,
    pub(super) kind: Kind,
    pub(super) name: Ident,
    pub(super) title: Option<LitStr>,
    pub(super) annotations: Vec<Annotation>,
    pub(super) prompt: Option<LitStr>,
    pub(super) agent: Option<LitStr>,
    /// The word `meta`, if it is there.
    pub(super) meta: Option<Span>,
    pub(super) grants: Vec<Grant>,
    /// Names of fields of the tools.
    pub(super) uses: Vec<Ident>,
    pub(super) edges: Vec<Edge>,
    pub(super) nodes: Vec<Node>,
}

/// What a node is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Init,
    Task,
    State,
    End,
    Join,
}

impl Kind {
    pub(super) const ALL: [(&'static str, Self); 5] =
        [("init", Self::Init), ("task", Self::Task), ("state", Self::State), ("end", Self::End), ("join", Self::Join)];

    /// Returns the type in a DyGram file.
    pub(super) const fn type_name(self) -> &'static str {
        match self {
            Self::Init => "Init",
            Self::Task => "Task",
            Self::State => "State",
            Self::End => "End",
            Self::Join => "Join",
        }
    }
}

/// `@retry(3)`
pub(super) struct Annotation {
    pub(super) name: Ident,
    pub(super) value: Option<Argument>,
}

/// What is in the parentheses of an annotation.
pub(super) enum Argument {
    Literal(Lit),
    /// Names with dots between them, such as `order.items`.
    Names(Vec<Ident>),
}

/// `reads order { id, total };` or `writes notes;`
pub(super) struct Grant {
    pub(super) writes: bool,
    pub(super) context: Ident,
    /// `None` means all fields.
    pub(super) fields: Option<Vec<Ident>>,
}

/// `-> Ship @auto "the order is small" when order.total < 100.0;`
pub(super) struct Edge {
    pub(super) arrow: Span,
    /// The names of the target and of the nodes around it.
    pub(super) target: Vec<Ident>,
    pub(super) annotations: Vec<Annotation>,
    pub(super) label: Option<LitStr>,
    pub(super) condition: Option<Expr>,
}

impl Node {
    /// Calls `each` with this node, the nodes in it, and the path of each.
    pub(super) fn walk<'a>(&'a self, outer: &str, each: &mut dyn FnMut(&'a Self, &str)) {
        let path = path_in(outer, &self.name);
        each(self, &path);
        for node in &self.nodes {
            node.walk(&path, each);
        }
    }
}

impl Machine {
    /// Returns all nodes with their paths. A node is before the nodes in it.
    pub(super) fn all(&self) -> Vec<(&Node, String)> {
        let mut all = Vec::new();
        for node in &self.nodes {
            node.walk("", &mut |node, path| all.push((node, path.to_owned())));
        }
        all
    }
}

/// Returns the path of a node in the node of another path.
pub(super) fn path_in(outer: &str, name: &Ident) -> String {
    if outer.is_empty() { name.to_string() } else { format!("{outer}.{name}") }
}
