//! The message should say: a `RailManager` has rails that are chosen at run time.

use exo_rails::Rail;

fn count(rails: Vec<Box<dyn Rail>>) -> usize {
    rails.len()
}

fn main() {
    let _ = count(Vec::new());
}
