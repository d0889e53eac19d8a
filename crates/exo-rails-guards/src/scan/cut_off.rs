//! What a guard has cut off the output of a tool.

/// The bytes that are kept of what was cut off. A secret that ends later is not found at the cut.
const REST: usize = 64 << 10;

/// The end of an output that was cut. It is in the values of the event, so that a later guard finds a secret at the cut.
#[derive(Clone, Debug)]
pub(crate) struct CutOff {
    /// The note at the end of the output.
    pub(crate) note: String,
    /// The text that was there before, or the beginning of it.
    pub(crate) rest: String,
}

impl CutOff {
    /// Cuts a text, and writes a note in the place of its end.
    pub(crate) fn cut(text: &mut String, keep: usize, note: String) -> Self {
        let keep = text.floor_char_boundary(keep);
        let rest = &text[keep..];
        let rest = rest[..rest.floor_char_boundary(REST)].to_owned();
        text.truncate(keep);
        text.push_str(&note);
        Self { note, rest }
    }
}
