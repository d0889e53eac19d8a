//! A bound takes guard sets that meet requirements: chains, behind pointers, with an event bus, and chosen at run time.

#![deny(warnings)]

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::testing::Traced;
use exo_rails::{DynGuardSet, EventBus, Meets, chain_requirements};

mod company {
    use super::*;

    pub struct Audit<S>(pub S);

    #[rail(priority = 90)]
    impl<S: Fn(&str) + Send + Sync> Audit<S> {
        #[on(PreToolCall)]
        fn record(&self, call: &ToolCallInputs) {
            self.0(&call.tool_name);
        }
    }

    #[rail(priority = 10, on = [PreToolCall])]
    pub fn permission() -> Verdict {
        Verdict::Continue
    }

    chain_requirements! {
        pub struct Company { first(permission on PreToolCall), require(Audit<fn(&str)> on PreToolCall) }
    }

    chain_requirements! { pub struct Strict { last(Audit<fn(&str)> on PreToolCall) } }

    /// It calls the guard set that it takes: the bound is enough.
    pub async fn serve<R: Meets<Company>>(rails: R) -> Result<(), RailFault> {
        let (mut call, mut ctx) = (ToolCallInputs::new("search"), RunContext::new("demo"));
        assert!(rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
        Ok(())
    }

    pub fn both<R: Meets<Company> + Meets<Strict>>(_: &R) {}
}

use company::{Audit, permission};

rail_chain! {
    #[chain(requirements = company::Company, requirements = company::Strict)]
    struct Support { permission, audit: Audit<fn(&str)> }
}

rail_chain! { struct Inner { audit: Audit<fn(&str)> } }

rail_chain! {
    #[chain(requirements = company::Company)]
    struct Nested { permission, inner: Inner }
}

fn support() -> Support {
    Support { audit: Audit(|tool| println!("{tool}")) }
}

fn nested() -> Nested {
    Nested { inner: Inner { audit: Audit(|_| {}) } }
}

#[tokio::test]
async fn compiles_and_runs() -> Result<(), RailFault> {
    company::both(&support());
    company::serve(support()).await?;
    company::serve(&support()).await?;
    company::serve(Arc::new(nested())).await?;
    company::serve(Box::new(support())).await?;
    company::serve(EventBus::default().wrap(&nested())).await?;
    company::serve(Traced::new(support())).await?;
    for nests in [true, false] {
        let rails: DynGuardSet<dyn Meets<company::Company>> =
            if nests { DynGuardSet::of(Arc::new(nested())) } else { DynGuardSet::of(Arc::new(support())) };
        company::serve(rails).await?;
    }
    Ok(())
}
