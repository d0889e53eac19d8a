//! The message should say: `provided` has no option `name`; its only option is `crate`.

use exo_rails::prelude::*;

#[derive(Provided)]
#[provided(name = "left")]
struct RateLimitLeft(u32);

fn main() {
    let _ = RateLimitLeft(3).0;
}
