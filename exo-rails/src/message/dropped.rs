//! What is known of something that was dropped before it had ended.

use serde::Serialize;

use crate::message::Usage;

/// A run or a session that was dropped before it had ended: carried by [`Dropped`](crate::events::Dropped).
///
/// A client goes away in the middle of a stream, a time-out drops the future of a run: there is no result and no error.
/// The [context](crate::RailContext) says which run it is.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::DroppedInputs;
///
/// /// A rail on this event is a plain `fn`: it runs while the future is dropped, where nothing can wait.
/// #[rail(on = [Dropped])]
/// fn bill(dropped: &DroppedInputs, ctx: &RailContext) {
///     println!("{} used {} tokens before its client went away", ctx.run_id(), dropped.usage.total_tokens);
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DroppedInputs {
    /// What was dropped.
    pub what: DroppedScope,
    /// The tokens that the model calls of the run have cost until then, as far as the model has told. Those of a session
    /// are zero: each of its runs has had an event of its own.
    pub usage: Usage,
}

impl DroppedInputs {
    /// Something was dropped after its model calls had cost this much.
    ///
    /// ```
    /// use exo_rails::DroppedInputs;
    /// use exo_rails::{DroppedScope, message::Usage};
    ///
    /// assert_eq!(DroppedInputs::new(DroppedScope::Run, Usage::default()), DroppedInputs::default());
    /// ```
    #[must_use]
    pub const fn new(what: DroppedScope, usage: Usage) -> Self {
        Self { what, usage }
    }
}

/// What can be dropped before it has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DroppedScope {
    /// A run: its future, or its stream.
    #[default]
    Run,
    /// A session that was not ended.
    Session,
}
