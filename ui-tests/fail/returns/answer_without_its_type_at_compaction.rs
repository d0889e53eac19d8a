//! The message should say, at the return type: write `RailAction<CompactionOutput, NoRetry>`.

use exo_rails::CompactionOutput;
use exo_rails::prelude::*;

#[rail(on = [PreCompaction])]
fn guard(ctx: &RailContext) -> Option<RailAction> {
    (ctx.step() > 3).then(|| RailAction::skip_with(CompactionOutput::default(), "it is short enough"))
}

fn main() {
    let _ = rail_chain![guard];
}
