//! A machine as data: nodes, edges, attributes and annotations, without the text of the file.
//!
//! A [`Machine`] comes from a file, or a program builds it with [`Machine::add_node`] and [`Machine::add_edge`].

mod access;
mod annotation;
mod edge;
mod flow;
mod id;
mod kind;
mod machine;
mod node;
mod scope;
mod ty;
mod value;

pub use self::access::{Access, Fields};
pub(crate) use self::access::{permission, permission_words};
pub use self::annotation::{Annotation, Argument};
pub use self::edge::{ConditionKind, Edge, EdgeCondition, Endpoint, LabelPart};
pub use self::id::{EdgeId, NodeId};
pub use self::kind::NodeKind;
pub use self::machine::{AddError, Machine};
pub use self::node::{META_TOOLS, Node, Note};
pub use self::scope::Found;
pub use self::ty::{Type, TypeKind};
pub use self::value::{Attribute, Number, Value};
