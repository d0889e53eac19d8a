//! The message should say: the closure is not a sink, because it returns no future. Write
//! `async |piece: StreamPiece| …`, or end the closure with `async {}`.

use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, Stream, StreamPiece};

struct Words(std::vec::IntoIter<&'static str>);

impl Stream for Words {
    type Item = Result<ModelDelta, OperationError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.next().map(|word| Ok(ModelDelta::Text(word.to_owned()))))
    }
}

#[rail(on = [LlmChunk])]
fn no_pins(window: &mut StreamWindow) {
    window.replace("4711", "[pin]");
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let screen = Mutex::new(String::new());
    let show = |piece: StreamPiece| {
        if let StreamPiece::Text(text) = piece {
            screen.lock().unwrap().push_str(&text);
        }
    };
    let model = |_: Permit<ModelCallInputs>| Words(vec!["The pin is 47", "11."].into_iter());
    let mut ctx = RunContext::new("kiosk");
    rail_chain![no_pins].guard_stream(ModelCallInputs::default(), &mut ctx, model, show).await?; // <- here
    assert_eq!(*screen.lock().unwrap(), "The pin is [pin].");
    Ok(())
}
