//! The values that a rail provides and needs.

use crate::context::ValueInfo;
use crate::point::HookPoint;

/// That a rail provides a value at an event, or needs it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueUse {
    pub(crate) event: HookPoint,
    pub(crate) value: ValueInfo,
    pub(crate) needs: bool,
}

impl ValueUse {
    /// The rail provides the value.
    #[must_use]
    pub const fn provides(event: HookPoint, value: ValueInfo) -> Self {
        Self { event, value, needs: false }
    }

    /// The rail needs the value.
    #[must_use]
    pub const fn needs(event: HookPoint, value: ValueInfo) -> Self {
        Self { event, value, needs: true }
    }
}
