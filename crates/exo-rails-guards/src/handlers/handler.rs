//! One handler: when it runs, and how it is called.

use std::fmt;
use std::sync::Arc;

use exo_rails::RailContext;
use exo_rails_policy::ToolPattern;
use serde_json::Value;
use tokio::sync::Semaphore;

#[cfg(feature = "agent")]
use super::asked::Asked;
#[cfg(unix)]
use super::command::Command;
#[cfg(feature = "http")]
use super::http::Endpoint;
use super::output::{Answer, Limits};
use super::{FailMode, HandlerEvent, HandlerFault, OnBlock};

/// A handler that is ready to run.
#[derive(Debug)]
pub(super) struct Handler {
    pub(super) name: String,
    pub(super) events: Vec<HandlerEvent>,
    /// Empty for all tools.
    pub(super) tools: Vec<ToolPattern>,
    pub(super) runner: Runner,
    pub(super) limits: Limits,
    pub(super) fail_mode: FailMode,
    pub(super) on_block: OnBlock,
}

/// How a handler is called.
pub(super) enum Runner {
    External(Arc<External>),
    /// Nobody waits for it.
    Background(Arc<External>),
    #[cfg(feature = "agent")]
    Model(Box<Asked>),
}

/// Something outside of this process.
pub(super) enum External {
    #[cfg(unix)]
    Command(Command),
    #[cfg(feature = "http")]
    Http(Endpoint),
}

impl Handler {
    pub(super) fn is_for(&self, event: HandlerEvent, tool: Option<&str>) -> bool {
        self.events.contains(&event)
            && tool.is_none_or(|tool| {
                self.tools.is_empty() || self.tools.iter().any(|pattern| pattern.matches_any_spelling(tool))
            })
    }

    /// Calls the handler and waits for its answer.
    #[cfg_attr(not(feature = "agent"), expect(unused_variables, reason = "only models need the context"))]
    pub(super) async fn answer(&self, event: &Value, ctx: &RailContext) -> Result<Answer, HandlerFault> {
        match &self.runner {
            Runner::External(external) | Runner::Background(external) => {
                external.answer(&self.name, event, self.limits).await
            }
            #[cfg(feature = "agent")]
            Runner::Model(asked) => {
                // Boxed, because an agent inside this future would make it large for every event.
                let answer = Box::pin(asked.answer(event, ctx.child(), self.limits.bytes));
                let limit = self.limits.time;
                tokio::time::timeout(limit, answer).await.unwrap_or(Err(HandlerFault::Timeout { limit }))
            }
        }
    }

    /// Starts the handler in the background, if there is room.
    pub(super) fn start(&self, external: &Arc<External>, event: &Value, room: &Arc<Semaphore>, is_shadow: bool) {
        // A handler in the background has no decision to report. It would only have effects.
        if is_shadow {
            return;
        }
        let Ok(permit) = Arc::clone(room).try_acquire_owned() else {
            tracing::warn!(handler = %self.name, "too many hook handlers run in the background: this one is not started");
            return;
        };
        let (external, event, name, limits) = (Arc::clone(external), event.clone(), self.name.clone(), self.limits);
        tokio::spawn(async move {
            if let Err(fault) = external.answer(&name, &event, limits).await {
                tracing::warn!(handler = %name, %fault, "a hook handler in the background failed");
            }
            drop(permit);
        });
    }
}

impl External {
    #[cfg_attr(not(any(unix, feature = "http")), expect(unused_variables, reason = "there is nothing to call"))]
    async fn answer(&self, handler: &str, event: &Value, limits: Limits) -> Result<Answer, HandlerFault> {
        match self {
            #[cfg(unix)]
            Self::Command(command) => command.answer(handler, event, limits).await,
            #[cfg(feature = "http")]
            Self::Http(endpoint) => endpoint.answer(event, limits).await,
        }
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::External(_) => "External",
            Self::Background(_) => "Background",
            #[cfg(feature = "agent")]
            Self::Model(_) => "Model",
        })
    }
}
