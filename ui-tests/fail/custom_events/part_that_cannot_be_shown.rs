//! What an event carries can be shown, shared, and kept.
//!
//! The message should say: an event cannot carry `Secret`, because it is not `Debug`; and so on, once for each part, and
//! nothing of the rails that take them.

use std::cell::RefCell;
use std::rc::Rc;

use exo_rails::prelude::*;

struct Secret;

#[derive(Event)]
#[event(payload = &Secret)]
struct Found;

#[derive(Event)]
#[event(payload = (&String, &mut RefCell<u8>, &Rc<u8>))]
struct Counted;

#[rail(on = [Found])]
fn looks(_: &Secret, _: &RailContext) {}

#[rail(on = [Found, Counted])]
fn looks_at_all(_: Inputs<'_>) {}

#[rail(on = [Counted])]
async fn counts(_: &mut RefCell<u8>) {}

rail_chain! {
    #[chain(events = [Found, Counted])]
    struct Guards { looks, looks_at_all, counts }
}

async fn found(ctx: &mut RunContext) -> Result<(), RailFault> {
    let _ = (Guards {}).dispatch::<Found>(&Secret, ctx).await?;
    Ok(())
}

fn main() {}
