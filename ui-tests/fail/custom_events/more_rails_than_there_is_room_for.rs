//! On the rare events of the library, a chain has room for 8 rails unless it names the event.

use exo_rails::prelude::*;

macro_rules! rails {
    ($($rail:ident)*) => {
        $(
            #[rail(on = [SessionStart])]
            fn $rail() {}
        )*
    };
}

rails!(r0 r1 r2 r3 r4 r5 r6 r7 r8);

rail_chain! {
    struct Crowded { r0, r1, r2, r3, r4, r5, r6, r7, r8 }
}

rail_chain! {
    #[chain(events = [SessionStart])]
    struct Roomy { r0, r1, r2, r3, r4, r5, r6, r7, r8 }
}

fn main() {}
