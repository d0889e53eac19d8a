//! The message should say: a chain has no type parameters: its order is a constant.

use exo_rails::prelude::*;

use std::marker::PhantomData;

struct Limit<S>(PhantomData<S>);

#[rail]
impl<S: Send + Sync> Limit<S> {
    #[on(PreToolCall)]
    async fn before(&self) {}
}

rail_chain! {
    struct MyRails<S> {
        limit: Limit<S>,
    }
}

fn main() {
    let _ = Limit::<u32>(PhantomData);
}
