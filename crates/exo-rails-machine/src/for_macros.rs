//! Items that the macros use in their output. Do not use them directly: they can change without notice.

pub use exo_rails::for_macros::Sound;

pub use crate::contexts::{ContextType, context_type};
pub use crate::definition::{Typed, machine};
pub use exo_rails_machine_macros::{machine as machine_macro, machine_file as machine_file_macro};

/// A list for whose items a machine can start paths.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list",
    label = "not a list",
    note = "`@map` starts a path for each item of a list, such as a `Vec`"
)]
pub trait List {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> List for T where for<'a> &'a T: IntoIterator {}

/// Checks that a field is a list.
pub const fn list<T: List + ?Sized>(_: &T) {}
