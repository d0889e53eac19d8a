//! Prompts with `{{names}}`.

use exo_rails_dygram::syntax::holes;
use exo_rails_dygram::{Machine, NodeId};
use serde_json::{Map, Value};

use crate::conditions::{Facts, Name};
use crate::contexts::{Contexts, Grant};

/// A text with names whose values are put in when a node is visited.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Hole { name: Name, path: Vec<String> },
}

impl Template {
    /// Reads a text.
    ///
    /// # Errors
    ///
    /// If the text reads what the node may not. A prompt goes to the agent, so it must not have data of another phase.
    pub(super) fn read(machine: &Machine, node: NodeId, grants: &[Grant], text: &str) -> Result<Self, String> {
        let (mut pieces, mut at) = (Vec::new(), 0);
        for hole in holes(text) {
            let name = Name::of(machine, node, &hole.path);
            if let Some((context, field)) = name.context() {
                let is_readable = |grant: &Grant| {
                    grant.context == context
                        && field.map_or(!grant.reads.is_empty(), |field| grant.reads.contains(field))
                };
                if !grants.iter().any(is_readable) {
                    let (path, hole) = (machine.path(node), hole.path.join("."));
                    let what = field.map_or_else(|| "reads".to_owned(), |field| format!("read: {field}"));
                    return Err(format!(
                        "the prompt of `{path}` has `{{{{{hole}}}}}`, which the node may not read: write `{path} -{what}-> {context};`"
                    ));
                }
            }
            pieces.push(Piece::Text(text.get(at..hole.span.start).unwrap_or_default().to_owned()));
            pieces.push(Piece::Hole { name, path: hole.path });
            at = hole.span.end;
        }
        pieces.push(Piece::Text(text.get(at..).unwrap_or_default().to_owned()));
        Ok(Self { pieces })
    }

    /// Puts the values in.
    ///
    /// # Errors
    ///
    /// If a name has no value.
    pub(crate) fn text(&self, contexts: &Contexts, grants: &[Grant], facts: &Facts<'_>) -> Result<String, String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Hole { name, path } => {
                    let mut values = Map::new();
                    name.put(contexts, facts, &mut values)?;
                    let mut value = value_at(&Value::Object(values), path)
                        .ok_or_else(|| format!("`{{{{{}}}}}` in the prompt has no value", path.join(".")))?
                        .clone();
                    hide(&mut value, name, grants);
                    text.push_str(&shown(&value));
                }
            }
        }
        Ok(text)
    }
}

/// Removes the fields that the node may not read from a whole context.
fn hide(value: &mut Value, name: &Name, grants: &[Grant]) {
    if let (Some((context, None)), Value::Object(fields)) = (name.context(), value) {
        let grant = grants.iter().find(|grant| grant.context == context);
        fields.retain(|field, _| grant.is_some_and(|grant| grant.reads.contains(field)));
    }
}

/// Returns the value at a path of names in objects.
pub(crate) fn value_at<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| value.get(name))
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
