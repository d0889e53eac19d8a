//! Conditions that are nested need much of the stack: the library of CEL goes through them with recursion.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The bytes of the stack for each level of a condition. Without optimisation, the parser needs a quarter of a mebibyte.
const LEVEL: usize = 320 << 10;

/// Calls a function that goes through a condition of this height. If the stack is too small, the function has another one.
///
/// # Errors
///
/// If the library panics.
pub(super) fn with_height<T>(height: usize, call: impl FnOnce() -> T) -> Result<T, String> {
    let size = LEVEL.saturating_mul(height.saturating_add(1));
    // A condition is in the file, and its values are those of agents. The next evaluation begins anew.
    let call = || catch_unwind(AssertUnwindSafe(call));
    stacker::maybe_grow(size, 2 * size, call).map_err(|_| "its evaluation panicked".to_owned())
}
