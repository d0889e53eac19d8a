//! The message should say: `ToolCall` is the name of an operation of the library: choose another name.

use exo_rails::Operation;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
#[operation(inputs = Document, output = String)]
struct ToolCall;

fn main() {}
