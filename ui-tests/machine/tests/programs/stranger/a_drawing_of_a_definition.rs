//! `mermaid` draws what `Orchard::machine()` returns, a `Definition`, as it draws a `Machine`.

use exo_rails_machine::{machine, mermaid};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Apples {
    crates: u32,
    is_ripe: bool,
}

machine! {
    /// What happens to the apples of an orchard.
    machine Orchard {
        context apples: Apples;

        init Looked {
            reads apples { crates, is_ripe };
            -> Waiting when !apples.is_ripe;
            -> Market when apples.crates > 20;
            -> Cider;
        }
        end Waiting;
        end Market;
        end Cider;
    }
}

pub fn main() -> std::io::Result<()> {
    let orchard = Orchard::machine(Apples { crates: 12, is_ripe: true });
    let drawing = mermaid(&orchard, None);
    std::fs::write("orchard.mmd", drawing)
}
