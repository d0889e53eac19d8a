//! Types of attributes.

use std::fmt;

use crate::syntax::quote;

/// The type of an attribute.
///
/// ```
/// let text = "Context job { level<\"low\" | \"high\">: \"low\"; names<Array<string>?>; };";
/// let machine = exo_rails_dygram::read("flow.dygram", text).machine;
/// let types: Vec<_> = machine.nodes()[0].attributes.iter().flat_map(|field| &field.ty).map(|ty| ty.to_string()).collect();
/// assert_eq!(types, ["\"low\" | \"high\"", "Array<string>?"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// What the type is.
    pub kind: TypeKind,
    /// Whether the value may be missing. The file writes `?` after such a type.
    pub is_optional: bool,
}

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// A name, and its arguments if it has any.
    Named {
        /// The name. It may have dots.
        name: String,
        /// The types in angle brackets.
        arguments: Vec<Type>,
    },
    /// One of several texts.
    Literals(Vec<String>),
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TypeKind::Named { name, arguments } => {
                f.write_str(name)?;
                let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
                if !arguments.is_empty() {
                    write!(f, "<{}>", arguments.join(", "))?;
                }
            }
            TypeKind::Literals(texts) => {
                let texts: Vec<_> = texts.iter().map(|text| quote(text)).collect();
                f.write_str(&texts.join(" | "))?;
            }
        }
        f.write_str(if self.is_optional { "?" } else { "" })
    }
}
