//! What the macros write. Do not use it: it changes without notice.

pub use crate::contexts::ContextType;
pub use crate::definition::{Typed, machine};
pub use exo_rails_machine_macros::{machine as machine_macro, machine_file as machine_file_macro};
