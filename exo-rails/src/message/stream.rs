//! Sinks for streamed answers.

/// A piece of a streamed answer, after the rails have seen it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamPiece {
    /// The next part of the answer.
    Text(String),
    /// Discards all pieces so far, because the answer starts again. This happens if a rail asks for a retry of the
    /// call, or if a substitute or a whole response replaces pieces that were sent already.
    Restart,
}

/// A sink for the pieces of an answer: an async function or closure that takes a [`StreamPiece`].
///
/// The guard waits for the future of the sink before it asks the model for more.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sink for the pieces of an answer",
    label = "not a sink",
    note = "a sink is an async function or closure, like `async |piece: StreamPiece| …`, whose future is `Send` and yields `()`"
)]
pub trait StreamSink: Send {
    /// Receives a piece.
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

/// A sink, for a bound that every sink meets: see `RunFuture` in `operation/guard.rs`.
#[doc(hidden)]
pub trait IsSink {
    type This;
}

#[diagnostic::do_not_recommend]
impl<S: StreamSink> IsSink for S {
    type This = S;
}
