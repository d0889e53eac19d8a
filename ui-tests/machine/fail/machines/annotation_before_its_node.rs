//! The message should say: write `task Ask @retry(2)`.

use exo_rails_machine::machine;

machine! {
    machine Orchard {
        init Arrived { -> Ask; }
        @retry(2)
        task Ask { prompt: "Is the tree ill?"; -> Done; }
        end Done;
    }
}

fn main() {
    let _ = Orchard::machine();
}
