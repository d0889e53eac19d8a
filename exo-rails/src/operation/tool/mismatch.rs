//! The reason why arguments do not fit a type, without values of the arguments. Faults are logged, and other rails read
//! them.
//!
//! The texts of serde quote values: `invalid type: string "sk-live-4711", expected u32`. So this module reads arguments
//! that do not fit a second time, with an error type that never has a value.

use std::fmt::{self, Display, Write};
use std::{slice, vec};

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, Expected, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

/// A place in the arguments that does not fit, and the reason.
#[derive(Debug, Default)]
pub(super) struct Mismatch {
    /// The place. `*` stands for a name that the type does not declare, because the model has chosen this name.
    pub(super) path: String,
    /// The place with all names.
    pub(super) full_path: String,
    /// The expectation of the type, and the kind of the value.
    pub(super) text: String,
}

/// Returns the reason why these arguments do not fit the type.
pub(super) fn of<A: DeserializeOwned>(arguments: &Value) -> Mismatch {
    match A::deserialize(Probe(arguments)) {
        Err(mismatch) => mismatch,
        Ok(_) => Mismatch::of("the type refuses the arguments"),
    }
}

impl Mismatch {
    fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    fn under(mut self, name: &str, is_known: bool) -> Self {
        let before = |name: &str, path: &str| {
            let dot = if path.is_empty() || path.starts_with('[') { "" } else { "." };
            format!("{name}{dot}{path}")
        };
        self.path = before(if is_known { name } else { "*" }, &self.path);
        self.full_path = before(name, &self.full_path);
        self
    }
}

impl Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Mismatch {}

impl Error for Mismatch {
    // The text of a type about a value may quote the value.
    fn custom<T: Display>(_: T) -> Self {
        Self::of("the type refuses the value")
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::of(format!("invalid type: {}, expected {expected}", kind(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::of(format!("invalid value: {}, expected {expected}", kind(found)))
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::of(format!("invalid length {length}, expected {expected}"))
    }

    fn missing_field(name: &'static str) -> Self {
        Self::of(format!("missing field `{name}`"))
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self::of(format!("duplicate field `{name}`"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::of(format!("unknown variant, {}", one_of(expected)))
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self::of(format!("unknown field, {}", one_of(expected)))
    }
}

fn one_of(names: &[&str]) -> String {
    let mut text = String::from(if names.is_empty() { "there are none" } else { "expected one of" });
    for (i, name) in names.iter().enumerate() {
        let _ = write!(text, "{} `{name}`", if i == 0 { "" } else { "," });
    }
    text
}

const fn kind(value: Unexpected<'_>) -> &'static str {
    match value {
        Unexpected::Bool(_) => "boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "integer",
        Unexpected::Float(_) => "floating point",
        Unexpected::Char(_) => "character",
        Unexpected::Str(_) => "string",
        Unexpected::Bytes(_) => "byte array",
        Unexpected::Unit => "null",
        Unexpected::Seq => "sequence",
        Unexpected::Map => "map",
        Unexpected::Enum | Unexpected::UnitVariant => "variant",
        _ => "another value",
    }
}

fn found(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(_) => Unexpected::Signed(0),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

/// A value that is read in the way of `serde_json`.
struct Probe<'de>(&'de Value);

impl<'de> Deserializer<'de> for Probe<'de> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => {
                if let Some(number) = number.as_u64() {
                    visitor.visit_u64(number)
                } else if let Some(number) = number.as_i64() {
                    visitor.visit_i64(number)
                } else {
                    visitor.visit_f64(number.as_f64().unwrap_or_default())
                }
            }
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visit_items(items, visitor),
            Value::Object(fields) => visitor.visit_map(Fields::of(fields, &[])),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &str, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self.0 {
            Value::Object(fields) => visitor.visit_map(Fields::of(fields, known)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(Variant { name, value: None, known }),
            Value::Object(fields) => match (fields.iter().next(), fields.len()) {
                (Some((name, value)), 1) => visitor.visit_enum(Variant { name, value: Some(value), known }),
                _ => Err(Mismatch::invalid_value(Unexpected::Map, &"map with a single key")),
            },
            other => Err(Mismatch::invalid_type(found(other), &"string or map")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

fn visit_items<'de, V: Visitor<'de>>(items: &'de [Value], visitor: V) -> Result<V::Value, Mismatch> {
    let mut left = Items(items.iter().enumerate());
    let value = visitor.visit_seq(&mut left)?;
    if left.0.next().is_some() {
        return Err(Mismatch::invalid_length(items.len(), &"fewer elements in array"));
    }
    Ok(value)
}

struct Items<'de>(std::iter::Enumerate<slice::Iter<'de, Value>>);

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = Mismatch;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Mismatch> {
        let Some((i, item)) = self.0.next() else { return Ok(None) };
        seed.deserialize(Probe(item)).map(Some).map_err(|mismatch| mismatch.under(&format!("[{i}]"), true))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Fields<'de> {
    left: vec::IntoIter<(&'de String, &'de Value)>,
    known: &'static [&'static str],
    open: Option<(&'de str, &'de Value)>,
}

impl<'de> Fields<'de> {
    fn of(fields: &'de Map<String, Value>, known: &'static [&'static str]) -> Self {
        Self { left: fields.iter().collect::<Vec<_>>().into_iter(), known, open: None }
    }
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = Mismatch;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Mismatch> {
        let Some((name, value)) = self.left.next() else { return Ok(None) };
        self.open = Some((name, value));
        seed.deserialize(Name(name)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Mismatch> {
        let Some((name, value)) = self.open.take() else { return Err(Mismatch::of("a value without a name")) };
        let is_known = self.known.contains(&name);
        seed.deserialize(Probe(value)).map_err(|mismatch| mismatch.under(name, is_known))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// The name of a field. It may be a number, because a map may have numbers as keys.
struct Name<'de>(&'de str);

macro_rules! numbers {
    ($($method:ident => $visit:ident: $number:ty),+ $(,)?) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
            match self.0.parse::<$number>() {
                Ok(number) => visitor.$visit(number),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        }
    )+};
}

impl<'de> Deserializer<'de> for Name<'de> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_borrowed_str(self.0)
    }

    numbers! {
        deserialize_i8 => visit_i8: i8, deserialize_i16 => visit_i16: i16, deserialize_i32 => visit_i32: i32,
        deserialize_i64 => visit_i64: i64, deserialize_i128 => visit_i128: i128, deserialize_u8 => visit_u8: u8,
        deserialize_u16 => visit_u16: u16, deserialize_u32 => visit_u32: u32, deserialize_u64 => visit_u64: u64,
        deserialize_u128 => visit_u128: u128, deserialize_f32 => visit_f32: f32, deserialize_f64 => visit_f64: f64,
        deserialize_bool => visit_bool: bool,
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &str, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_enum(Variant { name: self.0, value: None, known })
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A variant of an enum, with its value if it has one.
struct Variant<'de> {
    name: &'de str,
    value: Option<&'de Value>,
    known: &'static [&'static str],
}

impl<'de> Variant<'de> {
    fn with<T>(self, what: &'static str, read: impl FnOnce(&'de Value) -> Result<T, Mismatch>) -> Result<T, Mismatch> {
        let Some(value) = self.value else { return Err(Mismatch::invalid_type(Unexpected::UnitVariant, &what)) };
        read(value).map_err(|mismatch| mismatch.under(self.name, self.known.contains(&self.name)))
    }
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Mismatch;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Mismatch> {
        Ok((seed.deserialize(BorrowedStrDeserializer::new(self.name))?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Mismatch;

    fn unit_variant(self) -> Result<(), Mismatch> {
        match self.value {
            None | Some(Value::Null) => Ok(()),
            Some(value) => Err(Mismatch::invalid_type(found(value), &"unit")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Mismatch> {
        self.with("newtype variant", |value| seed.deserialize(Probe(value)))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Mismatch> {
        self.with("tuple variant", |value| match value {
            Value::Array(items) => visit_items(items, visitor),
            other => Err(Mismatch::invalid_type(found(other), &"tuple variant")),
        })
    }

    fn struct_variant<V: Visitor<'de>>(self, known: &'static [&'static str], visitor: V) -> Result<V::Value, Mismatch> {
        self.with("struct variant", |value| match value {
            Value::Object(fields) => visitor.visit_map(Fields::of(fields, known)),
            other => Err(Mismatch::invalid_type(found(other), &"struct variant")),
        })
    }
}
