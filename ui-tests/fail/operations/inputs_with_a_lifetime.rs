//! The message should say: an operation owns its inputs.

use exo_rails::Operation;

#[derive(Operation)]
#[operation(inputs = std::borrow::Cow<'a, str>, output = String)]
struct StoreText;

fn main() {}
