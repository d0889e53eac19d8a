//! The message should say: a retry calls the closure again, so clone what it captures.

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, NoRails};
use futures_util::stream;

fn main() {
    let words = vec![Ok::<_, OperationError>(ModelDelta::Text("one".to_owned()))];
    let model = move |_request: Permit<ModelCallInputs>| stream::iter(words);
    let ctx = &mut RunContext::new("demo");
    let _ = NoRails.guard_stream(ModelCallInputs::default(), ctx, model, async |_: exo_rails::StreamPiece| ());
}
