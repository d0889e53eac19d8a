//! Streamed answers: what rails see of them before they leave.

/// The part of an answer that has not left yet: carried by [`LlmChunk`](crate::events::LlmChunk).
///
/// A rail sees what the model has said since the text that left last, and may change it. With
/// `#[rail(…, window = 64)]` the last 64 characters are held back until more has come, so that a rail sees whole what
/// is cut in two by the border of a piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamWindow {
    /// The text that has not left yet.
    pub text: String,
    /// Whether the answer ends here: nothing of the window is held back then.
    pub is_last: bool,
}
