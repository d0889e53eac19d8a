//! The message should say: a `char` is not the name of a tool.

use exo_rails_guards::Kit;

fn main() {
    let _ = Kit::builder().known_tools("search".chars());
}
