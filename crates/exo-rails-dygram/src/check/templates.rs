//! Templates in the texts of nodes: `{{input.data}}`.

use super::fields::Readable;
use super::{Checker, part_of};
use crate::diagnostic::Place;
use crate::model::{Attribute, NodeId, NodeKind, Value};
use crate::syntax::{holes, unclosed};

impl Checker<'_> {
    pub(super) fn templates(&mut self) {
        let machine = self.machine;
        let mut readable = Readable::new(machine);
        for id in machine.ids().filter(|id| machine.kind(*id) != NodeKind::Style) {
            self.templates_in(&mut readable, id, &machine.node(id).attributes);
        }
    }

    fn templates_in(&mut self, readable: &mut Readable<'_>, node: NodeId, attributes: &[Attribute]) {
        for attribute in attributes {
            if let Some(value) = &attribute.value {
                self.templates_of(readable, node, value, attribute.value_place);
            }
        }
    }

    fn templates_of(&mut self, readable: &mut Readable<'_>, node: NodeId, value: &Value, place: Place) {
        match value {
            Value::Text(text) => {
                for hole in holes(text) {
                    self.read(readable, node, &hole.path, part_of(place, text, hole.span));
                }
                for hole in unclosed(text) {
                    let (found, name) = (hole.span.of(text), hole.path.join("."));
                    let message = format!("the template `{found}` has no end, so it is plain text");
                    let place = part_of(place, text, hole.span);
                    self.report("unclosed-template", place, message, format!("write `{{{{{name}}}}}`"));
                }
            }
            Value::List(values) => values.iter().for_each(|value| self.templates_of(readable, node, value, place)),
            Value::Object(attributes) => self.templates_in(readable, node, attributes),
            _ => {}
        }
    }
}
