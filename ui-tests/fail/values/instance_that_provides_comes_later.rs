//! The message should say: the instance that provides `B` runs later

use exo_rails::prelude::*;

#[derive(Provided)]
struct A;

#[derive(Provided)]
struct B;

trait Source: Send + Sync + 'static {
    type Value: Provided;
    fn value() -> Self::Value;
}

impl Source for u8 {
    type Value = A;
    fn value() -> A {
        A
    }
}

impl Source for u16 {
    type Value = B;
    fn value() -> B {
        B
    }
}

struct Load<S>(std::marker::PhantomData<S>);

#[rail]
impl<S: Source> Load<S> {
    #[on(PreToolCall, provides = [S::Value])]
    fn load(&self) -> S::Value {
        S::value()
    }
}

#[rail(on = [PreToolCall], needs = [B])]
fn guard(_b: &B) {}

rail_chain! {
    struct MyRails { a: Load<u8>, guard, b: Load<u16> }
}

fn main() {}
