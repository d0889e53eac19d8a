//! The tools that the last model call of a run has offered.

use std::sync::Arc;

use exo_rails::message::ToolSpec;
use exo_rails::{ModelCallInputs, RailContext};

/// The tools of a request, as a value of the run.
#[derive(Clone, Default)]
pub(crate) struct Offered(pub(crate) Arc<Vec<ToolSpec>>);

impl Offered {
    /// Remembers the tools of a request. A run offers the same tools in most of its requests, so the list is copied only if
    /// it differs.
    pub(crate) fn remember(request: &ModelCallInputs, ctx: &RailContext) {
        ctx.run.update(|offered: &mut Self| {
            if *offered.0 != request.tools {
                offered.0 = Arc::new(request.tools.clone());
            }
        });
    }

    /// Returns the tools of the last request. The list is empty if the guard has seen no request of this run.
    pub(crate) fn of(ctx: &RailContext) -> Arc<Vec<ToolSpec>> {
        ctx.run.get::<Self>().unwrap_or_default().0
    }
}
