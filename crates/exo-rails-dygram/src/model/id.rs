//! The numbers of nodes and edges.

/// The number of a node in its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) usize);

impl NodeId {
    /// The first node of every machine.
    pub(crate) const FIRST: Self = Self(0);
}

/// The number of an edge in its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(pub(super) usize);
