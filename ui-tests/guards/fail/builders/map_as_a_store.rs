//! The message should say: a map is not a store: write `MemoryStore::new()`.

use std::collections::HashMap;

use exo_rails_guards::Kit;

fn main() {
    let _ = Kit::builder().store(HashMap::<String, String>::new()).from_toml("");
}
