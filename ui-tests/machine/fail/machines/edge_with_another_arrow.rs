//! The message should say: write `-> Done;`.

use exo_rails_machine::machine;

machine! {
    machine Orchard {
        init Arrived { => Done; }
        end Done;
    }
}

fn main() {
    let _ = Orchard::machine();
}
