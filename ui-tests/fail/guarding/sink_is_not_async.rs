//! The message should say, once: the sink is an async function or closure.

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, NoRails, StreamPiece};
use futures_util::stream;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let model = |_: Permit<ModelCallInputs>| stream::empty::<Result<ModelDelta, OperationError>>();
    let show = |piece: StreamPiece| println!("{piece:?}");
    NoRails.guard_stream(ModelCallInputs::default(), &mut RunContext::new("demo"), model, show).await?;
    Ok(())
}
