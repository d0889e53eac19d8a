//! The message should say, once: the function returns a stream, and not a future.

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, NoRails, StreamPiece};

async fn ask(_request: Permit<ModelCallInputs>) -> Result<ModelDelta, OperationError> {
    Ok(ModelDelta::Text("hi".into()))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    NoRails.guard_stream(ModelCallInputs::default(), &mut RunContext::new("demo"), ask, async |_: StreamPiece| ()).await?;
    Ok(())
}
