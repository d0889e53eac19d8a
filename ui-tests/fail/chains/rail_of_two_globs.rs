//! The message should say: `guard` is ambiguous (the compiler's own words).

use exo_rails::prelude::*;

mod first {
    use exo_rails::prelude::*;

    #[rail(on = [PreToolCall])]
    pub fn guard() {}
}

mod second {
    use exo_rails::prelude::*;

    #[rail(on = [PreToolCall])]
    pub fn guard() {}
}

use first::*;
use second::*;

fn main() {
    let _ = rail_chain![guard];
}
