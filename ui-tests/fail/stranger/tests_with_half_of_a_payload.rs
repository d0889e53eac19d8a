//! The message should say: the payload of `PostToolCall` has two parts, the call and the output. Pass a tuple:
//! `(ToolCallInputs::new("read_file"), ToolOutput::text("…"))`.

use exo_rails::prelude::*;
use exo_rails::testing;

/// Cuts outputs that would fill the context of the model.
#[rail(priority = 60, on = [PostToolCall])]
fn at_most_ten_lines(output: &mut ToolOutput) {
    output.content = output.content.lines().take(10).collect::<Vec<_>>().join("\n");
}

rail_chain! {
    struct ReaderRails { at_most_ten_lines }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let long = ToolOutput::text("line\n".repeat(50));
    let read = testing::at::<PostToolCall>(&ReaderRails, long).await; // <- here
    read.assert_continued();
}
