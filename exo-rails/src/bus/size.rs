//! The size of a value, without writing it.

use std::fmt::{Display, Error};

use serde::{Serialize, Serializer, ser};

/// The bytes that count for each value beside its text: about the size of a value in JSON.
const EACH: usize = 32;

/// Returns about the bytes of memory that a value needs: the lengths of its texts and keys, and 32 bytes for each value in it.
/// The work grows with the number of values, and not with the lengths of the texts.
pub(super) fn size_of<T: Serialize + ?Sized>(value: &T) -> usize {
    let mut size = Size(0);
    // A value that cannot be written counts as far as it can.
    let _ = value.serialize(&mut size);
    size.0
}

struct Size(usize);

impl Size {
    #[expect(clippy::unnecessary_wraps, reason = "the methods of a serializer return results")]
    const fn add(&mut self, bytes: usize) -> Result<(), Error> {
        self.0 = self.0.saturating_add(EACH).saturating_add(bytes);
        Ok(())
    }
}

/// Values without a text.
macro_rules! scalars {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, _: $type) -> Result<(), Error> {
            self.add(0)
        })*
    };
}

impl Serializer for &mut Size {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    scalars!(
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
        serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_unit_struct: &'static str
    );

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        self.add(text.len())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        // In JSON, each byte is a number.
        self.add(bytes.len().saturating_mul(EACH))
    }

    fn collect_str<T: Display + ?Sized>(self, text: &T) -> Result<(), Error> {
        self.add(text.to_string().len())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.add(0)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.add(0)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.add(variant.len())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.add(variant.len())?;
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Error> {
        self.add(0)?;
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Error> {
        self.add(0)?;
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        self.add(0)?;
        Ok(self)
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Self, Error> {
        self.add(variant.len())?;
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Error> {
        self.add(0)?;
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        self.add(0)?;
        Ok(self)
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Self, Error> {
        self.add(variant.len())?;
        Ok(self)
    }
}

/// Lists of values.
macro_rules! lists {
    ($($trait:ident::$method:ident),*) => {
        $(impl ser::$trait for &mut Size {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), Error> {
                Ok(())
            }
        })*
    };
}

/// Fields with names.
macro_rules! fields {
    ($($trait:ident),*) => {
        $(impl ser::$trait for &mut Size {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
                self.0 = self.0.saturating_add(key.len());
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), Error> {
                Ok(())
            }
        })*
    };
}

lists!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);
fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for &mut Size {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The same, for JSON.
    fn naive(value: &Value) -> usize {
        EACH + match value {
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(naive).sum(),
            Value::Object(fields) => fields.iter().map(|(name, field)| EACH + name.len() + naive(field)).sum(),
            _ => 0,
        }
    }

    #[test]
    fn the_size_equals_the_sum_of_a_naive_count() {
        let long = "é".repeat(1_000);
        for value in [json!(null), json!(""), json!(long), json!([1, 2.5, true]), json!({ "a": { "b": [long, null] } })]
        {
            assert_eq!(size_of(&value), naive(&value), "{value}");
        }
    }

    #[test]
    fn each_kind_of_value_adds_to_the_size() {
        #[derive(Serialize)]
        enum Kind {
            Unit,
            New(&'static str),
            Tuple(u8, char),
            Struct { text: &'static str },
        }
        #[derive(Serialize)]
        struct Pair(Option<u8>, (), Kind);
        assert_eq!(size_of(&Kind::Unit), EACH + 4);
        assert_eq!(size_of(&Kind::New("abc")), 2 * EACH + 6);
        assert_eq!(size_of(&Kind::Tuple(1, 'a')), 3 * EACH + 5);
        assert_eq!(size_of(&Kind::Struct { text: "abc" }), 2 * EACH + 13);
        assert_eq!(size_of(&Pair(None, (), Kind::Unit)), 4 * EACH + 4);
        assert_eq!(size_of(&format_args!("{}", "abc")), EACH + 3);
    }
}
