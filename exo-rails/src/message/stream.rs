//! Streamed answers: where they go.

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
