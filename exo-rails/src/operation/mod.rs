//! Guarded operations: a guard runs the pre rails, the operation and the post rails, and acts on every decision.

pub(crate) mod attempt;
mod attempt_over;
mod dropped;
pub(crate) mod failure;
pub(crate) mod guard;
pub(crate) mod guarded;
pub(crate) mod kinds;
mod memory;
mod nesting;
pub(crate) mod perform;
pub(crate) mod permit;
pub(crate) mod proving;
pub(crate) mod retries;
pub(crate) mod tool;
pub(crate) mod windows;

pub use failure::*;
pub use guard::*;
pub use guarded::*;
pub use permit::*;
pub use proving::*;
pub use tool::*;
