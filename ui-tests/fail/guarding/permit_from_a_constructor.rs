//! The message should say: a permit cannot be made: only a guarded operation has one.

use exo_rails::prelude::*;

fn main() {
    let _ = Permit::new(ToolCallInputs::new("delete_file"));
}
