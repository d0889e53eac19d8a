//! The message should say: a rail provides 6 values at the most: put them into one struct.

use exo_rails::prelude::*;

#[derive(Provided)]
struct A(u32);

#[derive(Provided)]
struct B(u32);

#[derive(Provided)]
struct C(u32);

#[derive(Provided)]
struct D(u32);

#[derive(Provided)]
struct E(u32);

#[derive(Provided)]
struct F(u32);

#[derive(Provided)]
struct G(u32);

#[rail(priority = 20, on = [PreLlmCall], provides = [A, B, C, D, E, F, G])]
fn all(ctx: &RailContext) -> (A, B, C, D, E, F, G) {
    let n = ctx.step();
    (A(n), B(n), C(n), D(n), E(n), F(n), G(n))
}

rail_chain! {
    struct MyRails { all }
}

fn main() {
    let _ = MyRails {};
}
