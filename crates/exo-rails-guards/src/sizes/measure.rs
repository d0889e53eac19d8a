//! Measures JSON text without reading it into memory.

use std::io;

use exo_rails_policy::sizes::SizesConfig;
use serde_json::Value;

/// The first limit that some JSON exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    Bytes,
    Depth,
    Items,
    StringBytes,
}

/// The state of a measurement. It stops at the first excess, so it reads no further than the limits.
pub(super) struct Measure<'c> {
    limits: &'c SizesConfig,
    bytes: usize,
    depth: usize,
    items: usize,
    /// The bytes of the string that the measurement is in.
    string: Option<usize>,
    is_escaped: bool,
    excess: Option<Excess>,
}

impl<'c> Measure<'c> {
    /// Measures JSON text, or text that should be JSON.
    pub(super) fn text(text: &str, limits: &'c SizesConfig) -> Option<Excess> {
        if text.len() > limits.max_argument_bytes {
            return Some(Excess::Bytes);
        }
        let mut measure = Self::new(limits);
        let _ = text.bytes().try_for_each(|byte| measure.take(byte));
        measure.excess
    }

    /// Measures a value as the JSON text that it makes.
    pub(super) fn value(value: &Value, limits: &'c SizesConfig) -> Option<Excess> {
        let mut measure = Self::new(limits);
        // The writer ends with an error at the first excess. So the recursion is as deep as the limit at most.
        let _ = serde_json::to_writer(&mut measure, value);
        measure.excess
    }

    const fn new(limits: &'c SizesConfig) -> Self {
        Self { limits, bytes: 0, depth: 0, items: 0, string: None, is_escaped: false, excess: None }
    }

    fn take(&mut self, byte: u8) -> Result<(), Excess> {
        self.bytes += 1;
        match self.string {
            Some(bytes) => self.in_string(byte, bytes),
            None => self.outside(byte),
        }
        let limits = self.limits;
        let excess = if self.bytes > limits.max_argument_bytes {
            Excess::Bytes
        } else if self.depth > limits.max_depth {
            Excess::Depth
        } else if self.items > limits.max_items {
            Excess::Items
        } else if self.string.is_some_and(|bytes| bytes > limits.max_string_bytes) {
            Excess::StringBytes
        } else {
            return Ok(());
        };
        self.excess = Some(excess);
        Err(excess)
    }

    fn in_string(&mut self, byte: u8, bytes: usize) {
        if !self.is_escaped && byte == b'"' {
            self.string = None;
            return;
        }
        self.is_escaped = !self.is_escaped && byte == b'\\';
        self.string = Some(bytes + 1);
    }

    /// A list or an object has one item more than it has commas. An empty one counts as one item.
    const fn outside(&mut self, byte: u8) {
        match byte {
            b'"' => self.string = Some(0),
            b'[' | b'{' => {
                self.depth += 1;
                self.items += 1;
            }
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            b',' => self.items += 1,
            _ => {}
        }
    }
}

impl io::Write for Measure<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        bytes.iter().try_for_each(|byte| self.take(*byte)).map_err(|_| io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SMALL: SizesConfig = SizesConfig {
        max_argument_bytes: 60,
        max_depth: 3,
        max_items: 6,
        max_string_bytes: 8,
        max_output_bytes: 0,
        max_answer_bytes: 0,
        large_output: crate::sizes::LargeOutput::Refuse,
        max_feedback: 0,
    };

    #[test]
    fn a_text_and_its_value_have_the_same_excess() {
        let table = [
            (r#"{"a":"12345678"}"#, None),
            (r#"{"a":"123456789"}"#, Some(Excess::StringBytes)),
            // The name of an argument is a string too.
            (r#"{"123456789":1}"#, Some(Excess::StringBytes)),
            (r#"{"a":"[[[[,,,,"}"#, None),
            (r#"{"a":"\"[[[[,"}"#, None),
            (r#"{"a":"\\","b":[[]]}"#, None),
            (r#"{"a":[[[]]]}"#, Some(Excess::Depth)),
            (r#"{"a":[1,2,3,4,5]}"#, None),
            (r#"{"a":[1,2,3,4,5,6]}"#, Some(Excess::Items)),
            (r#"{"a":[[],[],[]]}"#, Some(Excess::Items)),
            (r#"{"a":111111111111111111111111111111111111111111111111111111e9}"#, Some(Excess::Bytes)),
            ("[[[[", Some(Excess::Depth)),
            ("]]]]", None),
            ("", None),
        ];
        for (text, excess) in table {
            assert_eq!(Measure::text(text, &SMALL), excess, "{text}");
            if let Ok(value) = serde_json::from_str(text) {
                let _: &Value = &value;
                if excess != Some(Excess::Bytes) {
                    assert_eq!(Measure::value(&value, &SMALL), excess, "{text}");
                }
            }
        }
        assert_eq!(
            Measure::value(
                &json!({ "a": [1, 22_222_222, 333_333_333, 44_444_444], "b": [4_444_444_444_u64, 55_555_555] }),
                &SMALL
            ),
            Some(Excess::Items)
        );
    }

    #[test]
    fn a_value_that_is_nested_too_deep_for_the_stack_is_measured_to_the_limit_only() {
        let mut deep = Value::Null;
        for _ in 0..5_000 {
            deep = Value::Array(vec![deep]);
        }
        assert_eq!(Measure::value(&deep, &SMALL), Some(Excess::Depth));
    }
}
