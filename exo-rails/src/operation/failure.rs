//! The conversion of an operation's error into the error of its guard.

use std::error::Error as StdError;

use super::tool::args_error::ArgsError;
use crate::error::{OperationError, RunError};
use crate::event::Decoy;

/// An error that an operation or a tool may return: any error type, boxed or not, or text. `E` is the error that the
/// guard makes from it.
///
/// The library implements the trait for every type that converts into `Box<dyn Error + Send + Sync>`.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::NoRails;
///
/// #[derive(Debug, thiserror::Error)]
/// enum SearchError {
///     #[error("the index cannot be read")]
///     Index(#[from] std::io::Error),
/// }
///
/// async fn search(call: Permit<ToolCallInputs>) -> Result<String, SearchError> {
///     Ok(std::fs::read_to_string(format!("/nowhere/{}", call.tool_name))?)
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let mut ctx = RunContext::new("demo");
/// let output = NoRails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, search).await?;
/// assert_eq!(output.content, "The call of `search` failed: the index cannot be read (not found)");
/// assert_eq!(output.error_kind, Some(OperationErrorKind::NotFound));
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "an operation cannot fail with `{Self}`",
    label = "an operation cannot fail with this",
    note = "the error of an operation is text, `Box<dyn Error + Send + Sync>`, or an error type that is `Send`, `Sync` and `'static`",
    note = "write `#[derive(Debug, thiserror::Error)]` above your type, or let the operation return an `OperationError`: `.map_err(OperationError::from)`"
)]
pub trait IntoFailure<E, Impl = ()> {
    /// Converts the error into the error of the guard. An [`OperationError`] or a [`RunError`] stays unchanged, also
    /// inside a box.
    fn into_failure(self) -> E;
}

impl<T: Into<Box<dyn StdError + Send + Sync>>> IntoFailure<OperationError> for T {
    fn into_failure(self) -> OperationError {
        match self.into().downcast::<ArgsError>() {
            Ok(error) => OperationError::from(*error),
            Err(error) => OperationError::from(error),
        }
    }
}

impl<T: Into<Box<dyn StdError + Send + Sync>>> IntoFailure<RunError> for T {
    fn into_failure(self) -> RunError {
        match self.into().downcast::<RunError>() {
            Ok(error) => *error,
            Err(error) => RunError::from(IntoFailure::<OperationError>::into_failure(error)),
        }
    }
}

// See `Decoy`.
impl<E, T: Into<Box<dyn StdError + Send + Sync>>, Impl: Decoy> IntoFailure<E, Impl> for T
where
    E: From<Box<dyn StdError + Send + Sync>>,
{
    fn into_failure(self) -> E {
        E::from(self.into())
    }
}
