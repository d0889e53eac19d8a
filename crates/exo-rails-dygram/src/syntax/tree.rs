//! The syntax tree of a file, with places and all comments.

use super::{Arrow, Layout};
use crate::diagnostic::Span;

/// A whole file.
///
/// ```
/// use exo_rails_dygram::FileId;
/// use exo_rails_dygram::syntax::{Item, parse};
///
/// let file = parse(FileId::default(), "Task plan; // first\nplan -> done;").file;
/// assert_eq!(file.items.len(), 2);
/// assert!(matches!(&file.items[0], Item::Node(node) if node.path.to_string() == "plan"));
/// assert_eq!(file.comments.len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct File {
    /// `import { … } from "…";`
    pub imports: Vec<Import>,
    /// `machine "…" { … }`
    pub head: Option<Head>,
    /// Nodes, edges and attributes, in the order of the text.
    pub items: Vec<Item>,
    /// All comments, in the order of the text.
    pub comments: Vec<Comment>,
    pub(crate) layout: Layout,
}

/// A comment.
#[derive(Clone, Debug)]
pub struct Comment {
    /// Where the comment is, including `//`, or `/*` and `*/`.
    pub span: Span,
    /// Whether it is a line comment, which begins with `//`.
    pub is_line: bool,
}

/// A name without dots.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

/// A name with dots, such as `review.draft`.
#[derive(Clone, Debug)]
pub struct Path {
    /// Its parts. There is at least one.
    pub names: Vec<Name>,
    /// Where it is.
    pub span: Span,
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.names.iter().map(|name| name.text.as_str()).collect();
        f.write_str(&names.join("."))
    }
}

/// A text in quotes.
#[derive(Clone, Debug)]
pub struct Text {
    /// The value, without quotes, and with replaced escapes.
    pub value: String,
    /// Where it is, including its quotes.
    pub span: Span,
    /// Whether it has escapes. If so, positions in `value` differ from positions in the file.
    pub has_escapes: bool,
}

impl Text {
    /// Returns the place of a part of the value. For a text with escapes, this is the place of the whole text.
    #[must_use]
    pub fn span_of(&self, part: Span) -> Span {
        if self.has_escapes { self.span } else { part_of(self.span.start + 1, part) }
    }
}

fn part_of(start: usize, part: Span) -> Span {
    Span::new(start + part.start, start + part.end)
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Item {
    /// A node, with its contents.
    Node(Node),
    /// A chain of edges.
    Edge(Edge),
    /// An attribute of the node or the machine around it.
    Attribute(Attribute),
}

/// `import { A as B, C.d } from "…";`
#[derive(Clone, Debug)]
pub struct Import {
    /// The names that it imports.
    pub names: Vec<ImportedName>,
    /// The file.
    pub from: Text,
    /// The whole import.
    pub span: Span,
}

/// A name in an import.
#[derive(Clone, Debug)]
pub struct ImportedName {
    /// The name in the imported file.
    pub path: Path,
    /// The name after `as`.
    pub alias: Option<Name>,
}

/// `machine "Title" @Annotation { … }`
#[derive(Clone, Debug)]
pub struct Head {
    /// The title.
    pub title: Text,
    /// Annotations of the machine.
    pub annotations: Vec<Annotation>,
    /// Attributes of the machine.
    pub attributes: Vec<Attribute>,
    /// The whole head.
    pub span: Span,
}

/// `Type name "Title" @Annotation { … }`
#[derive(Clone, Debug)]
pub struct Node {
    /// The type, as the file writes it.
    pub type_name: Option<Name>,
    /// The name.
    pub path: Path,
    /// The title.
    pub title: Option<Text>,
    /// The annotations.
    pub annotations: Vec<Annotation>,
    /// The statements between its braces.
    pub items: Vec<Item>,
    /// The whole node.
    pub span: Span,
}

/// `a, b -label-> c -> d { … }`
#[derive(Clone, Debug)]
pub struct Edge {
    /// The nodes before the first arrow. If this is empty, the edge begins at the node around it.
    pub sources: Vec<Path>,
    /// The arrows, each with its targets. The targets of an arrow are the sources of the next one.
    pub segments: Vec<Segment>,
    /// The attributes in braces. They belong to all arrows.
    pub attributes: Vec<Attribute>,
    /// The whole chain.
    pub span: Span,
}

/// One arrow of a chain, with its targets.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The text before the arrow, such as `"1"`.
    pub source_multiplicity: Option<Text>,
    /// The kind of the arrow.
    pub arrow: Arrow,
    /// What is in the arrow, except annotations.
    pub label: Vec<LabelPart>,
    /// The annotations in the arrow.
    pub annotations: Vec<Annotation>,
    /// The text after the arrow, such as `"0..*"`.
    pub target_multiplicity: Option<Text>,
    /// The nodes after the arrow.
    pub targets: Vec<Path>,
    /// The arrow with its label.
    pub span: Span,
}

/// A part of the label of an arrow.
#[derive(Clone, Debug)]
pub struct LabelPart {
    /// The name before the colon.
    pub name: Option<Name>,
    /// The value, or the text of the label.
    pub value: Value,
}

/// `@name`, `@name(value)` or `@name(a: 1; b: 2)`
#[derive(Clone, Debug)]
pub struct Annotation {
    /// The name after `@`.
    pub name: Name,
    /// What is in the parentheses.
    pub argument: Argument,
    /// The whole annotation.
    pub span: Span,
}

/// What is in the parentheses of an annotation.
#[derive(Clone, Debug)]
pub enum Argument {
    /// There are no parentheses.
    None,
    /// One value.
    Value(Value),
    /// Named parameters. Most of them have values.
    Parameters(Vec<(Name, Option<Value>)>),
}

/// `name<Type>: value;`
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name.
    pub name: Name,
    /// The type in angle brackets.
    pub ty: Option<Type>,
    /// The value after the colon.
    pub value: Option<Value>,
    /// The whole attribute.
    pub span: Span,
}

/// The type of an attribute.
#[derive(Clone, Debug)]
pub struct Type {
    /// What the type is.
    pub kind: TypeKind,
    /// Whether `?` follows it.
    pub is_optional: bool,
    /// Where it is.
    pub span: Span,
}

/// What a type is.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `name<argument, …>`
    Named(Path, Vec<Type>),
    /// `"a" | "b"`
    Literals(Vec<Text>),
}

/// A value, with its place.
#[derive(Clone, Debug)]
pub struct Value {
    /// What the value is.
    pub kind: ValueKind,
    /// Where it is.
    pub span: Span,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum ValueKind {
    /// A text in quotes.
    Text(Text),
    /// A number as the file writes it, with its sign.
    Number(String),
    /// A name. `true` and `false` are names in the grammar.
    Name(Path),
    /// `#name`, without the `#`.
    External(String),
    /// `[a, b]`
    List(Vec<Value>),
    /// `{ a: 1; b: 2; }`
    Object(Vec<Attribute>),
}
