//! The rails that are types.

use super::{Rail, Row, ValueUse};
use crate::point::RailInfo;

/// What `#[rail]` writes for a type without generic parameters. From it comes its [`Rail`].
///
/// Two blocks under `#[rail]` of one type are two implementations. rustc then shows the name of the trait, and nothing else
/// that a library could word: so the name is the message.
pub trait OneRailBlockForEachType {
    /// See [`Rail::PRIORITY`].
    const PRIORITY: i32 = Self::DECLARATION.info.priority;
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
impl<T: OneRailBlockForEachType> Rail for T {
    const PRIORITY: i32 = T::PRIORITY;
    const DECLARATION: Row = T::DECLARATION;
    const AFTER: &'static [RailInfo] = T::AFTER;
    const BEFORE: &'static [RailInfo] = T::BEFORE;
    const VALUES: &'static [ValueUse] = T::VALUES;
    type Events = T::Events;
}
