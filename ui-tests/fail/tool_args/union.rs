//! The message should say: the arguments of a tool are a struct, not a union.

use exo_rails::prelude::*;

#[derive(ToolArgs)]
#[tool(name = "delete_file")]
pub union DeleteFile {
    number: u32,
}

fn main() {
    let _ = DeleteFile { number: 3 };
}
