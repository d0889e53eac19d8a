//! Conditions that are nested need much of the stack: the library of CEL goes through them with recursion.

/// Conditions of this height and less fit into the stack of every thread.
const FLAT: usize = 5;

/// The stack for the other ones. The system gives only the pages that are used.
const STACK: usize = 64 << 20;

/// Calls a function that goes through a condition of this height.
///
/// # Errors
///
/// If there is no thread for it, or if the library panics.
pub(super) fn with_height<T: Send>(height: usize, call: impl FnOnce() -> T + Send) -> Result<T, String> {
    if height <= FLAT {
        return Ok(call());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("condition".to_owned()).stack_size(STACK);
        let thread = thread.spawn_scoped(scope, call).map_err(|error| format!("it needs a thread: {error}"))?;
        thread.join().map_err(|_| "its evaluation panicked".to_owned())
    })
}
