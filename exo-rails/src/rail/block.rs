//! The facts that `#[rail]` and `rail_chain!` write about a rail.

use super::{Rail, Row, ValueUse};
use crate::point::RailInfo;

/// The trait that the macros implement for a type without generic parameters. The library implements [`Rail`] for it,
/// because this implementation can ask rustc not to list it in messages. An expansion cannot always name the attribute
/// for this.
///
/// Two blocks under `#[rail]` for one type are two implementations. rustc then shows the name of the trait and no other
/// text of the library. So the name is the message.
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
    const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: Row = T::DECLARATION;
    const AFTER: &'static [RailInfo] = T::AFTER;
    const BEFORE: &'static [RailInfo] = T::BEFORE;
    const VALUES: &'static [ValueUse] = T::VALUES;
    type Events = T::Events;
}

/// A type whose mistakes the compiler has reported. An `#[on(…)]` that no `#[rail]` has removed asks for it, so its message is here.
#[diagnostic::on_unimplemented(
    message = "`#[on(…)]` is for methods of an `impl` block with `#[rail]`: write `#[rail]` above the block",
    label = "no `#[rail]` above the block"
)]
pub trait HasRailAboveItsBlock {
    /// The macro names this constant.
    const IS_SO: () = ();
}
