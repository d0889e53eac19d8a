//! The message should say: both instances of `Load` provide `Left`

use exo_rails::prelude::*;

#[derive(Provided)]
struct Left(u32);

struct Load<const N: u32>;

#[rail]
impl<const N: u32> Load<N> {
    #[on(PreToolCall, provides = [Left])]
    fn load(&self) -> Left {
        Left(N)
    }
}

rail_chain! {
    struct MyRails { one: Load<1>, two: Load<2> }
}

fn main() {}
