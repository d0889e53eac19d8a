//! Which rail decides.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::decision::on_fault::OnFault;
use crate::guard_set::HookHandle;
use crate::point::RailInfo;

/// A rail or hook at work: what its decisions say of it, and what its retries are counted by.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// Name, priority and place.
    // By reference: every decision says who took it, and the smaller it is, the less there is to move.
    pub info: &'static RailInfo,
    /// Which it is.
    pub identity: RailIdentity,
    /// What comes of its faults. A plain hook fails closed.
    pub on_fault: OnFault,
}

/// Equal for one and the same rail or hook only.
///
/// It tells apart what shares a name, a priority and a place: rails made from one generic type, and hooks added
/// in a loop. Each has its own retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RailIdentity(pub(crate) Identity);

#[derive(Clone, Copy)]
pub(crate) enum Identity {
    /// A rail. Its type has a name in constants only as a function.
    Type(fn() -> &'static str),
    /// A plain hook.
    Hook(HookHandle),
}

impl Identity {
    fn key(self) -> Result<&'static str, HookHandle> {
        match self {
            Self::Type(name) => Ok(name()),
            Self::Hook(handle) => Err(handle),
        }
    }
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Identity {}

impl Hash for Identity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key() {
            Ok(name) => f.write_str(name),
            Err(handle) => handle.fmt(f),
        }
    }
}
