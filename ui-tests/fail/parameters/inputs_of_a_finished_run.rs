//! The message should say: `Finished` carries `&InvokeInputs`: after the run they can no longer be changed.

use exo_rails::prelude::*;

#[rail(on = [Finished])]
async fn guard(run: &mut InvokeInputs) {
    *run = "another question".into();
}

fn main() {
    let _ = rail_chain![guard];
}
