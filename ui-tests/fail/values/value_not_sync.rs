//! The message should say: `Rc<u32>` cannot be sent and shared between threads; at the value.

use exo_rails::prelude::*;

use std::rc::Rc;

#[derive(Provided)]
struct RateLimitLeft(Rc<u32>);

fn main() {
    let _ = RateLimitLeft(Rc::new(3)).0;
}
