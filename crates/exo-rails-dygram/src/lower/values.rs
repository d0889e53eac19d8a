//! Values, attributes and annotations.

use super::Builder;
use crate::diagnostic::Diagnostic;
use crate::model::{Annotation, Argument, Attribute, Number, Type, TypeKind, Value};
use crate::syntax;

impl Builder<'_> {
    pub(super) fn attributes(&self, attributes: &[syntax::Attribute]) -> Vec<Attribute> {
        attributes.iter().map(|attribute| self.attribute(attribute)).collect()
    }

    pub(super) fn attribute(&self, attribute: &syntax::Attribute) -> Attribute {
        let span = attribute.value.as_ref().map_or(attribute.name.span, |value| value.span);
        Attribute {
            name: attribute.name.text.clone(),
            ty: attribute.ty.as_ref().map(ty),
            value: attribute.value.as_ref().map(|value| self.value(value)),
            place: self.place(attribute.name.span),
            value_place: self.place(span),
        }
    }

    pub(super) fn value(&self, value: &syntax::Value) -> Value {
        match &value.kind {
            syntax::ValueKind::Text(text) => Value::Text(text.value.clone()),
            syntax::ValueKind::Number(number) => Value::Number(Number::from_text(number.clone())),
            syntax::ValueKind::Name(path) => match &*path.to_string() {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                "null" => Value::Null,
                name => Value::Name(name.to_owned()),
            },
            syntax::ValueKind::External(name) => Value::External(name.clone()),
            syntax::ValueKind::List(values) => Value::List(values.iter().map(|value| self.value(value)).collect()),
            syntax::ValueKind::Object(attributes) => Value::Object(self.attributes(attributes)),
        }
    }

    pub(super) fn annotations(&self, annotations: &[syntax::Annotation]) -> Vec<Annotation> {
        let annotation = |annotation: &syntax::Annotation| Annotation {
            name: annotation.name.text.clone(),
            argument: self.argument(&annotation.argument),
            place: self.place(annotation.span),
        };
        annotations.iter().map(annotation).collect()
    }

    fn argument(&self, argument: &syntax::Argument) -> Argument {
        match argument {
            syntax::Argument::None => Argument::None,
            syntax::Argument::Value(value) => Argument::Value(self.value(value)),
            syntax::Argument::Parameters(parameters) => {
                let value = |value: &Option<syntax::Value>| value.as_ref().map(|value| self.value(value));
                Argument::Parameters(parameters.iter().map(|(name, v)| (name.text.clone(), value(v))).collect())
            }
        }
    }

    /// Reports attributes of one name.
    pub(super) fn check_attributes(&mut self, attributes: &[Attribute], owner: &str) {
        let mut seen = std::collections::HashMap::new();
        for attribute in attributes {
            if let Some(first) = seen.insert(&attribute.name, attribute.place) {
                let message = format!("{owner} has two attributes `{}`", attribute.name);
                let found = Diagnostic::error("duplicate-attribute", attribute.place, message);
                self.diagnostics
                    .push(found.with_help("remove one of them").with_related(first, "the first one is here"));
            }
        }
    }
}

fn ty(ty: &syntax::Type) -> Type {
    let kind = match &ty.kind {
        syntax::TypeKind::Named(name, arguments) => {
            TypeKind::Named { name: name.to_string(), arguments: arguments.iter().map(self::ty).collect() }
        }
        syntax::TypeKind::Literals(texts) => TypeKind::Literals(texts.iter().map(|text| text.value.clone()).collect()),
    };
    Type { kind, is_optional: ty.is_optional }
}
