//! A rail with type parameters, named in a chain with concrete types; two of them with different ones.

#![deny(warnings, dead_code)]

use std::fmt::Debug;
use std::marker::PhantomData;

use exo_rails::Chain;
use exo_rails::prelude::*;

trait Store: Debug + Send + Sync + 'static {
    type Error: std::error::Error + Send + Sync + 'static;

    fn take(&self) -> Result<u32, Self::Error>;
}

#[derive(Debug, Default)]
struct Memory<const N: u32>;

impl<const N: u32> Store for Memory<N> {
    type Error = std::fmt::Error;

    fn take(&self) -> Result<u32, Self::Error> {
        Ok(N)
    }
}

#[derive(Debug, Default)]
struct RateLimit<S, E = ()> {
    store: S,
    marker: PhantomData<E>,
}

#[rail(priority = 20, name = "rate limit")]
impl<S: Store, E> RateLimit<S, E>
where
    E: Send + Sync,
{
    #[on(PreToolCall, PreLlmCall)]
    async fn take(&self, ctx: &RailContext) -> Result<Verdict, S::Error> {
        Ok(Verdict::abort_if(self.store.take()? < ctx.step(), "over the limit"))
    }
}

rail_chain! {
    #[derive(Debug, Default)]
    struct Limits {
        tight: RateLimit<Memory<1>>,
        pub wide: RateLimit<Memory<9>, u8>,
    }
}

#[test]
fn compiles_and_runs() {
    assert_eq!(Limits::PLAN.events.len(), 2);
    println!("{:?}", Limits::default());
}
