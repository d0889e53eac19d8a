//! The message should say: write the names in a list: `["search"]`.

use exo_rails_guards::Kit;

fn main() {
    let _ = Kit::builder().known_tools("search").from_toml("");
}
