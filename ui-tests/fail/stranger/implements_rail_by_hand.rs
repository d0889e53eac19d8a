//! The message should say: nobody implements `Rail` by hand. Write `#[rail]` above the `impl` block of `Watermark`, and
//! `#[on(PostToolCall)]` above its method.

use exo_rails::prelude::*;

/// Marks every picture that the agent makes.
struct Watermark {
    text: String,
}

impl Watermark {
    fn mark(&self, output: &mut ToolOutput) {
        output.content.push_str(&self.text);
    }
}

impl Rail for Watermark {} // <- here

rail_chain! {
    struct PictureRails { watermark: Watermark }
}

fn main() {
    let rails = PictureRails { watermark: Watermark { text: " (made by a machine)".to_owned() } };
    let mut output = ToolOutput::text("cat.png");
    rails.watermark.mark(&mut output);
    assert_eq!(output.content, "cat.png (made by a machine)");
}
