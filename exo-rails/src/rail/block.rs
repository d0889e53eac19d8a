//! What `#[rail]` and `rail_chain!` write of a rail.

use super::{Rail, Row, ValueUse};
use crate::point::RailInfo;

/// What the macros write for a type without generic parameters. From it comes its [`Rail`]: an implementation of the library
/// can ask rustc not to list it in messages, also in a crate where the attribute for that has no name.
///
/// Two blocks under `#[rail]` of one type are two implementations. rustc then shows the name of the trait, and nothing else
/// that a library could word: so the name is the message.
pub trait OneRailForEachType {
    /// See [`Rail::PRIORITY`].
    const PRIORITY: i32 = Self::INFO.priority;
    /// See [`Rail::INFO`].
    const INFO: RailInfo = Self::DECLARATION.info;
    /// See [`Rail::DECLARATION`].
    const DECLARATION: Row;
    /// See [`Rail::AFTER`].
    const AFTER: &'static [RailInfo] = &[];
    /// See [`Rail::BEFORE`].
    const BEFORE: &'static [RailInfo] = &[];
    /// See [`Rail::VALUES`].
    const VALUES: &'static [ValueUse] = &[];
    /// See [`Rail::Events`].
    type Events;
}

#[diagnostic::do_not_recommend]
impl<T: OneRailForEachType> Rail for T {
    const PRIORITY: i32 = T::PRIORITY;
    const INFO: RailInfo = T::INFO;
    const DECLARATION: Row = T::DECLARATION;
    const AFTER: &'static [RailInfo] = T::AFTER;
    const BEFORE: &'static [RailInfo] = T::BEFORE;
    const VALUES: &'static [ValueUse] = T::VALUES;
    type Events = T::Events;
}
