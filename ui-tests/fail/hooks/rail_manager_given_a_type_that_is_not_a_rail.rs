//! The message should say: `Budget` is not a rail.

use exo_rails::prelude::*;

struct Budget;

fn main() {
    let _ = RailManager::new().add(Budget);
}
