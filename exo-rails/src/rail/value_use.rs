//! The values that a rail provides and needs.

use crate::context::ValueInfo;
use crate::point::HookPoint;

/// A fact about a rail: it provides or needs a value at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueUse {
    pub(crate) event: HookPoint,
    pub(crate) value: ValueInfo,
    pub(crate) needs: bool,
}

impl ValueUse {
    /// The rail provides the value at the event.
    #[must_use]
    pub const fn provides(event: HookPoint, value: ValueInfo) -> Self {
        Self { event, value, needs: false }
    }

    /// The rail needs the value at the event.
    #[must_use]
    pub const fn needs(event: HookPoint, value: ValueInfo) -> Self {
        Self { event, value, needs: true }
    }
}
