//! A model whose stream is a type of the program, a rail that hides names, and a sink that sends the pieces into a channel.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Poll};

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, Stream, StreamPiece};

struct Tokens(VecDeque<&'static str>);

impl Stream for Tokens {
    type Item = Result<ModelDelta, std::io::Error>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.get_mut().0.pop_front().map(|token| Ok(ModelDelta::Text(token.to_owned()))))
    }
}

fn model(_request: Permit<ModelCallInputs>) -> Tokens {
    Tokens(["The poem is by Ada", " Love", "lace, ", "I think."].into())
}

struct HiddenNames(Vec<String>);

#[rail(priority = 40)]
impl HiddenNames {
    #[on(LlmChunk)]
    fn hide(&self, window: &mut StreamWindow) {
        window.replace(&self.0, "[author]");
    }
}

rail_chain! {
    struct PoetryRails { hidden: HiddenNames }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let rails = PoetryRails { hidden: HiddenNames(vec!["Ada Lovelace".to_owned(), "Ada".to_owned()]) };
    let ((sender, receiver), mut ctx) = (mpsc::channel(), RunContext::new("poetry"));
    let sink = async |piece: StreamPiece| drop(sender.send(piece));
    let response = rails.guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).await?;
    assert_eq!(response.message.text(), "The poem is by [author], I think.");
    drop(sender);
    let text = |piece| if let StreamPiece::Text(text) = piece { Some(text) } else { None };
    assert_eq!(receiver.iter().filter_map(text).collect::<String>(), "The poem is by [author], I think.");
    Ok(())
}
