//! The message should say: a chain with `concurrent` has 16 rails at most, and what to do with more.

use exo_rails::prelude::*;

macro_rules! rails {
    ($($rail:ident)*) => {
        $(
            #[rail(on = [PreToolCall], concurrent)]
            fn $rail() {}
        )*
    };
}

rails!(r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15 r16);

rail_chain! {
    #[chain(concurrent)]
    struct Judges { r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15, r16 }
}

fn main() {}
