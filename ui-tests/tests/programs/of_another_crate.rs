//! A chain of one crate has the rails, events and operations of another one, which knows the library under another name.

#![deny(warnings)]

use exo_rails::prelude::*;
use exo_rails::{Next, chain_requirements};
use renamed::{Asked, Company, Count, NotEmpty, PostCount, PreCount};

#[rail(priority = 5, on = [Asked, PreCount])]
fn no_secrets(text: &mut String) -> Verdict {
    Verdict::abort_if(text.contains("secret"), "it is secret")
}

#[rail(on = [PreCount], around)]
async fn twice(next: impl Next<Count>) -> Result<usize, OperationError> {
    Ok(2 * next.run().await?)
}

#[rail(on = [PostCount])]
fn never_zero(count: &mut usize) {
    *count = (*count).max(1);
}

chain_requirements! {
    struct Counted { require(never_zero on PostCount) }
}

rail_chain! {
    #[chain(events = [Asked], operations = [Count], requirements = Company, requirements = Counted)]
    struct Guards { #[rail(priority = 1)] renamed::caller, renamed::log, no_secrets, twice, never_zero, not_empty: NotEmpty }
}

rail_chain! {
    #[chain(events = [Asked], operations = [Count])]
    struct Outer { inner: Guards }
}

#[tokio::test]
async fn compiles_and_runs() -> Result<(), RunError> {
    let mut ctx = RunContext::new("count");
    let count = |text: Permit<String>| async move { Ok::<_, OperationError>(text.len()) };
    let rails = Outer { inner: Guards { not_empty: NotEmpty } };
    assert_eq!(rails.guard_operation::<Count, _>("four".to_owned(), &mut ctx, count).await?, 8);
    assert!(rails.guard_operation::<Count, _>("secret".to_owned(), &mut ctx, count).await.is_err());
    let unnamed = rail_chain![
        #[chain(events = [Asked], operations = [Count])]
        no_secrets,
        never_zero
    ];
    assert_eq!(unnamed.guard_operation::<Count, _>(String::new(), &mut ctx, count).await?, 1);
    Ok(())
}
