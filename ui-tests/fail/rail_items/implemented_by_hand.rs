//! The message should say: write `#[rail]` above an `impl` block.

use exo_rails::Rail;

struct Watermark;

impl Rail for Watermark {}

fn main() {}
