//! The payload of `Dropped`: runs and sessions that were dropped before their end.

use serde::Serialize;

use crate::message::Usage;

/// A run or a session that was dropped before its end: the payload of [`Dropped`](crate::events::Dropped).
///
/// For example, a client disconnects in the middle of a stream, or a timeout drops the future of a run. Then there is
/// no result and no error. The [context](crate::RailContext) names the run.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::DroppedInputs;
///
/// /// A rail on this event is a plain `fn`, because it runs while the future is dropped, and cannot wait.
/// #[rail(on = [Dropped])]
/// fn bill(dropped: &DroppedInputs, ctx: &RailContext) {
///     println!("{} used {} tokens before its client went away", ctx.run_id(), dropped.usage.total_tokens);
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DroppedInputs {
    /// The thing that was dropped.
    pub what: DroppedScope,
    /// The tokens that the model calls of the run had used, as far as the model had reported them. For a session, the
    /// usage is zero, because each run of the session has had its own events.
    pub usage: Usage,
}

impl DroppedInputs {
    /// Makes the payload for a run or session that was dropped after this usage.
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

/// The things that can be dropped before their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DroppedScope {
    /// The future or the stream of a run.
    #[default]
    Run,
    /// A session that had not ended.
    Session,
}
