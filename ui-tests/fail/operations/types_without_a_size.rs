//! The message should say: an operation owns its inputs and its output: write `String` and `Vec<u8>`.

use exo_rails::Operation;

#[derive(Operation)]
#[operation(inputs = &'static str, output = [u8])]
struct StoreDocument;

fn main() {}
