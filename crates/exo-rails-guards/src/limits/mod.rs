//! What limits share: whose calls they count, which call is which, and amounts that a running call holds.

pub(crate) mod call_id;
pub(crate) mod failure;
pub(crate) mod held;
pub(crate) mod scope;
pub(crate) mod surround;
