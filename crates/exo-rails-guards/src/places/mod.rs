//! Places in rules: paths as text, and hosts.

pub(crate) mod host;
pub(crate) mod path;
