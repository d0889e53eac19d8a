//! Edges, their labels and conditions.

use super::{Annotation, Attribute, NodeId, Value};
use crate::diagnostic::Place;
use crate::syntax::{Arrow, is_word};

/// An edge from one node to another. A chain such as `a -> b -> c` consists of several edges.
///
/// ```
/// use exo_rails_dygram::ConditionKind;
///
/// let text = "State check; State done; check -when: \"count > 3\"-> done;";
/// let machine = exo_rails_dygram::read("flow.dygram", text).machine;
/// let condition = machine.edges()[0].condition().expect("the edge has a condition");
/// assert_eq!((condition.kind, condition.text), (ConditionKind::When, "count > 3"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where the edge begins.
    pub source: Endpoint,
    /// Where the edge ends.
    pub target: Endpoint,
    /// The kind of the arrow.
    pub arrow: Arrow,
    /// The parts of the label: texts, and names with values.
    pub label: Vec<LabelPart>,
    /// The annotations in the arrow.
    pub annotations: Vec<Annotation>,
    /// The attributes in the braces after the edge.
    pub attributes: Vec<Attribute>,
    /// How many sources each target has, such as `1`.
    pub source_multiplicity: Option<String>,
    /// How many targets each source has, such as `0..*`.
    pub target_multiplicity: Option<String>,
    /// Where the arrow is.
    pub place: Place,
}

/// One end of an edge: a node, or an attribute of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The node.
    pub node: NodeId,
    /// The attribute. If it is in an object, this is a name with dots.
    pub attribute: Option<String>,
    /// Where the name is.
    pub place: Place,
}

impl From<NodeId> for Endpoint {
    fn from(node: NodeId) -> Self {
        Self { node, attribute: None, place: Place::default() }
    }
}

/// A part of the label of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelPart {
    /// The name before the colon. A part that is only a text has no name.
    pub name: Option<String>,
    /// The value, or the text.
    pub value: Value,
    /// Where the value is.
    pub place: Place,
}

/// The condition of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeCondition<'a> {
    /// The word before it.
    pub kind: ConditionKind,
    /// The condition as the file writes it.
    pub text: &'a str,
    /// Where the value is, with its quotes.
    pub place: Place,
}

/// The word before a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionKind {
    /// `when`
    When,
    /// `unless`: the edge is taken if the condition is false.
    Unless,
    /// `if`, which means `when`.
    If,
}

impl Edge {
    /// Makes an edge with the arrow `->` and nothing else.
    #[must_use]
    pub fn new(source: impl Into<Endpoint>, target: impl Into<Endpoint>) -> Self {
        Self {
            source: source.into(),
            target: target.into(),
            arrow: Arrow::Single,
            label: Vec::new(),
            annotations: Vec::new(),
            attributes: Vec::new(),
            source_multiplicity: None,
            target_multiplicity: None,
            place: Place::default(),
        }
    }

    /// Returns whether the kind of the arrow fits to the label and the annotations.
    pub(crate) fn may_have_label(&self) -> bool {
        let is_word = |text: &str| !text.is_empty() && text.chars().all(is_word);
        match (self.arrow.label_start(), self.annotations.as_slice(), self.label.as_slice()) {
            (Some(_), _, _) | (None, [], []) => true,
            (None, [], [part]) if self.arrow == Arrow::Both && part.name.is_none() => match &part.value {
                Value::Name(text) => is_word(text),
                value => matches!(value, Value::Bool(_) | Value::Null),
            },
            _ => false,
        }
    }

    /// Returns the annotation with this name. The comparison ignores case.
    #[must_use]
    pub fn annotation(&self, name: &str) -> Option<&Annotation> {
        self.annotations.iter().find(|annotation| annotation.is(name))
    }

    /// Returns whether the edge has `@auto`. The machine takes such an edge without a decision of the agent.
    #[must_use]
    pub fn is_auto(&self) -> bool {
        self.annotation("auto").is_some_and(Annotation::is_enabled)
    }

    /// Returns the number of `@priority`. Without it, the priority is 0.
    #[must_use]
    pub fn priority(&self) -> i64 {
        let number = self.annotation("priority").and_then(Annotation::number).unwrap_or_default();
        #[expect(clippy::cast_possible_truncation, reason = "a saturated priority is the highest or the lowest")]
        let number = number as i64;
        number
    }

    /// Returns the parts of the label that are only texts, without names.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.label.iter().filter(|part| part.name.is_none()).filter_map(|part| part.value.as_str())
    }

    /// Returns the condition. If there are several, `when` comes before `unless`, and `unless` before `if`. For the same word,
    /// an attribute in the braces of the edge comes before the label.
    #[must_use]
    pub fn condition(&self) -> Option<EdgeCondition<'_>> {
        self.conditions().next()
    }

    /// Returns all conditions. More than one is a mistake.
    pub fn conditions(&self) -> impl Iterator<Item = EdgeCondition<'_>> {
        let kinds = [("when", ConditionKind::When), ("unless", ConditionKind::Unless), ("if", ConditionKind::If)];
        kinds.into_iter().flat_map(move |(word, kind)| {
            self.named(word).filter_map(move |(value, place)| {
                let text = match value {
                    Value::Bool(true) => "true",
                    Value::Bool(false) => "false",
                    _ => value.as_str()?,
                };
                Some(EdgeCondition { kind, text, place })
            })
        })
    }

    /// Returns the values with a name: those in the braces, then those in the label.
    fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a Value, Place)> {
        let attributes = self.attributes.iter().filter(move |attribute| attribute.name.eq_ignore_ascii_case(name));
        let attributes = attributes.filter_map(|attribute| Some((attribute.value.as_ref()?, attribute.value_place)));
        let is_named =
            move |part: &&LabelPart| part.name.as_ref().is_some_and(|other| other.eq_ignore_ascii_case(name));
        attributes.chain(self.label.iter().filter(is_named).map(|part| (&part.value, part.place)))
    }
}
