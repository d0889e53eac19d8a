//! The points of an agent's lifecycle as values, and the data that describe a rail: its name, its location, its reason.

pub(crate) mod event_table;
pub(crate) mod hook_point;
pub(crate) mod per_point;
pub(crate) mod rail_info;
pub(crate) mod rail_name;
pub(crate) mod reason;
pub(crate) mod source_location;
pub(crate) mod text;

pub(crate) use event_table::event_table;
pub use hook_point::*;
pub(crate) use per_point::*;
pub use rail_info::*;
pub use rail_name::*;
pub use reason::*;
pub use source_location::*;
