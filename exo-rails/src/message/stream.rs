//! Streamed answers: what rails see of them before they leave, and where they go.

/// The part of an answer that has not left yet: carried by [`LlmChunk`](crate::events::LlmChunk).
///
/// Rails see what the model has said since the text that left last, and may change it. What is left of it after them
/// leaves, but for its end, which is held back until more has come: `#[rail(on = [LlmChunk], window = 64)]` says how many
/// characters a rail has to see together, and the guard set holds back as many as the rail that needs most. So a rail sees
/// whole what the border of two pieces cuts in two, and sees the text that was held back again with what follows it.
/// `window = "all"` holds back everything until the answer is there.
///
/// An answer that is not streamed passes the same rails, in one window that is the last.
///
/// ```
/// use exo_rails::prelude::*;
///
/// /// Keys begin with `sk-` and have 20 characters.
/// #[rail(priority = 40, on = [LlmChunk], window = 20)]
/// fn redact(window: &mut StreamWindow) {
///     while let Some(at) = window.text.find("sk-") {
///         let key = window.text[at..].bytes().take(20).take_while(u8::is_ascii_graphic).count();
///         // A key that reaches the end of the window may go on: the guard set holds it back.
///         if key < 20 && at + key == window.text.len() && !window.is_last {
///             break;
///         }
///         window.text.replace_range(at..at + key, "[key]");
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let rails = rail_chain![redact];
/// let model = |_| async { Ok::<_, OperationError>(ModelResponse::text("Use sk-0123456789abcdefg here, not sk-ünder.")) };
/// let mut ctx = RunContext::new("demo");
/// let response = rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await?;
/// assert_eq!(response.message.text(), "Use [key] here, not [key]ünder.");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamWindow {
    /// The text that has not left yet.
    pub text: String,
    /// Whether the answer ends here: nothing of the window is held back then.
    pub is_last: bool,
    /// Where the text begins that rails have not seen yet, in bytes.
    fresh: usize,
    left: usize,
    ends: bool,
}

impl StreamWindow {
    /// A window with this text, of which no rail has seen anything; whether it is the last.
    #[must_use]
    pub fn new(text: impl Into<String>, is_last: bool) -> Self {
        Self { text: text.into(), is_last, ..Self::default() }
    }

    /// What has come since rails saw the window last: for rails that count or measure and do not want to see anything
    /// twice. A rail before this one that has changed the length of what was there already moves its beginning.
    #[must_use]
    pub fn fresh(&self) -> &str {
        self.text.get(self.fresh..).unwrap_or_default()
    }

    /// How many characters of the answer have left.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.left
    }

    /// Ends the answer with this window, shortened by the rail or not: what the model would say after it is not read, and
    /// tool calls are left out. The other rails are asked as ever, and then all of them about the last window.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// /// Nothing after the signature.
    /// #[rail(on = [LlmChunk], window = 3)]
    /// fn signature(window: &mut StreamWindow) {
    ///     if let Some(at) = window.text.find("-- ") {
    ///         window.text.truncate(at);
    ///         window.end();
    ///     }
    /// }
    /// ```
    pub const fn end(&mut self) {
        self.ends = true;
    }

    /// Whether a rail has [ended](Self::end) the answer.
    #[must_use]
    pub const fn ends(&self) -> bool {
        self.ends
    }

    /// Adds what the model has said.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Takes out what leaves when so many characters are held back; rails have seen what stays.
    pub(crate) fn release(&mut self, held_back: usize) -> String {
        let held_back = if self.is_last { 0 } else { held_back };
        let border = match held_back.checked_sub(1) {
            None => self.text.len(),
            Some(before) => self.text.char_indices().nth_back(before).map_or(0, |(at, _)| at),
        };
        let held = self.text.split_off(border);
        let released = std::mem::replace(&mut self.text, held);
        self.left += released.chars().count();
        self.fresh = self.text.len();
        released
    }
}

/// What a streamed answer comes to, piece by piece, after the rails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamPiece {
    /// More of the answer.
    Text(String),
    /// What has come of the answer so far is not part of it: it begins anew, because a rail has the model called again, or
    /// something stands in for an answer that broke off.
    Restart,
}

/// Where the pieces of an answer go: an async function or closure of a [`StreamPiece`].
///
/// The model is not asked for more until its future is done.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sink for the pieces of an answer",
    label = "not a sink",
    note = "a sink is an async function or closure, like `async |piece: StreamPiece| …`, whose future is `Send` and yields `()`"
)]
pub trait StreamSink: Send {
    /// Takes a piece.
    fn send(&mut self, piece: StreamPiece) -> impl Future<Output = ()> + Send;
}

#[diagnostic::do_not_recommend]
impl<F, Fut> StreamSink for F
where
    F: FnMut(StreamPiece) -> Fut + Send,
    Fut: Future<Output = ()> + Send,
{
    fn send(&mut self, piece: StreamPiece) -> impl Future<Output = ()> + Send {
        self(piece)
    }
}
