//! What it shows: `guard_stream` with a hand-written `Stream`, and a sink that sends the pieces into a channel of tokio.

use std::pin::Pin;
use std::task::{Context, Poll};

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, Stream, StreamPiece};
use tokio::sync::mpsc;

/// Yields a piece at every second poll.
struct Typewriter {
    pieces: std::vec::IntoIter<String>,
    ready: bool,
}

impl Stream for Typewriter {
    type Item = Result<ModelDelta, std::io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.ready = !self.ready;
        if !self.ready {
            return Poll::Ready(self.pieces.next().map(|piece| Ok(ModelDelta::Text(piece))));
        }
        task.waker().wake_by_ref();
        Poll::Pending
    }
}

struct Hidden {
    words: Vec<String>,
}

#[rail(priority = 40)]
impl Hidden {
    #[on(LlmChunk, window = self.words.iter().map(|word| word.chars().count()).max().unwrap_or(0))]
    fn hide(&self, window: &mut StreamWindow) {
        window.replace(&self.words, "[…]");
    }
}

rail_chain! {
    struct KioskRails { hidden: Hidden }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let rails = KioskRails { hidden: Hidden { words: vec!["4711".to_owned(), "secret".to_owned()] } };
    let model = |request: Permit<ModelCallInputs>| {
        let name = request.model.clone().unwrap_or_default();
        let pieces = vec![format!("{name} says: 47"), "11 is no sec".to_owned(), "ret.".to_owned()];
        Typewriter { pieces: pieces.into_iter(), ready: false }
    };
    let (sender, mut receiver) = mpsc::channel(16);
    let sink = |piece: StreamPiece| {
        let sender = sender.clone();
        async move {
            let _ = sender.send(piece).await;
        }
    };
    let request = ModelCallInputs { model: Some("tiny".to_owned()), ..ModelCallInputs::default() };
    let response = rails.guard_stream(request, &mut RunContext::new("kiosk"), model, sink).await?;
    drop(sender);

    let mut shown = String::new();
    while let Some(piece) = receiver.recv().await {
        match piece {
            StreamPiece::Text(text) => shown.push_str(&text),
            StreamPiece::Restart => shown.clear(),
        }
    }
    assert_eq!(shown, "tiny says: […] is no […].");
    assert_eq!(response.message.text(), shown);
    Ok(())
}
