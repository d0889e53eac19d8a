//! A channel to people who are there: one request, one reply.

mod front_end;
mod slot;

use std::sync::Arc;
use std::time::Duration;

use exo_rails::{RailContext, Reason};
use exo_rails_policy::approval::OnTimeout;
use tokio::time::{Instant, timeout_at};

pub use front_end::{FrontEnd, Pending};
pub use slot::{IntoResponse, Request, Response};

use self::front_end::Counter;
use self::slot::{Ended, Slot, SlotState};
use super::ask::{Answer, Ask, AskError};
use super::request::ApprovalRequest;
use super::visible::seconds;
use super::{Approvals, Inbox};

/// The time for a reply if nothing else is said.
const TIMEOUT: Duration = Duration::from_mins(5);

/// The longest time for a reply. It keeps sums of times in range.
const LONGEST: Duration = Duration::from_hours(24 * 365);

/// Asks people who are there now: the requests go through a channel to a [front end](FrontEnd), such as a terminal, a window or
/// a connection to a browser.
///
/// Each request goes to one front end, which replies once. While the guard waits, the run waits.
///
/// | what happens | the call |
/// |---|---|
/// | the front end replies | runs, does not run, or runs with other arguments, as the person decides |
/// | nobody replies in time. The time includes the wait for a free front end | does not run, or the run is [suspended](OnTimeout) |
/// | the front end drops the request without a reply, or the last front end is dropped | does not run |
/// | the run is cancelled or dropped | does not run. The front end [sees](Pending::ended) that nobody waits |
///
/// The time for the reply is [`ApprovalRequest::expires_in_ms`], and otherwise the [time of the desk](Self::with_timeout).
///
/// All clones are one desk: give one to each guard, and to [`ask_user`](super::ask_user).
///
/// The desk needs a tokio runtime with time.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use exo_rails::prelude::*;
/// use exo_rails_guards::approval::{Desk, Reply, ShownLimits};
/// use exo_rails_guards::{Approval, config};
///
/// rail_chain! { struct ReleaseRails { approval: Approval } }
///
/// async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
///     Ok(ToolOutput::text(format!("{} has run", call.tool_name)))
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let desk = Desk::new().with_timeout(Duration::from_mins(2));
/// let config = config::from_toml("[[rules]]\ntool = ['deploy', 'drop_*']")?;
/// let rails = ReleaseRails { approval: Approval::new(config)?.with_asker(Arc::new(desk.clone())) };
///
/// let mut front_end = desk.front_end();
/// let person = tokio::spawn(async move {
///     // The loop ends when the last desk is dropped.
///     while let Some(pending) = front_end.next().await {
///         let Some(request) = pending.approval() else { continue };
///         println!("{}\n{:?} left", request.shown(ShownLimits::default()), pending.remaining());
///         let reply = match request.tool_name.as_str() {
///             "deploy" => Reply::ApproveOnce,
///             _ => Reply::deny("the tables stay"),
///         };
///         pending.reply(reply).expect("the run waits");
///     }
/// });
///
/// let mut ctx = RunContext::new("release");
/// let output = rails.guard_tool_call(ToolCallInputs::new("deploy"), &mut ctx, run_tool).await?;
/// assert_eq!(output.content, "deploy has run");
/// let output = rails.guard_tool_call(ToolCallInputs::new("drop_table"), &mut ctx, run_tool).await?;
/// assert!(output.content.ends_with("a person refused the call: the tables stay"));
///
/// drop((desk, rails));
/// person.await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Desk {
    counter: Arc<Counter>,
    timeout: Duration,
    on_timeout: OnTimeout,
    inbox: Option<Inbox>,
    approvals: Option<Approvals>,
}

impl Default for Desk {
    fn default() -> Self {
        Self::new()
    }
}

impl Desk {
    /// Makes a desk whose requests wait for five minutes. Then their calls are denied.
    #[must_use]
    pub fn new() -> Self {
        Self { counter: Arc::default(), timeout: TIMEOUT, on_timeout: OnTimeout::Deny, inbox: None, approvals: None }
    }

    /// Sets the time for a reply to requests that do not set one themselves.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets what happens if nobody replies in time to requests that do not say it themselves. Default: the call is denied.
    #[must_use]
    pub const fn with_on_timeout(mut self, on_timeout: OnTimeout) -> Self {
        self.on_timeout = on_timeout;
        self
    }

    /// Sets the inbox that stores the requests of [suspended](OnTimeout::Suspend) runs. There, they have the time of the
    /// [inbox](Inbox::with_timeout), which begins when the time at the desk is over. The inbox also remembers approvals, unless
    /// [`with_approvals`](Self::with_approvals) sets another place. Without an inbox, the program finds the request in the
    /// question of the suspended run.
    #[must_use]
    pub fn with_inbox(mut self, inbox: Inbox) -> Self {
        self.inbox = Some(inbox);
        self
    }

    /// Sets the place where approvals for the session and for ever are remembered.
    #[must_use]
    pub fn with_approvals(mut self, approvals: Approvals) -> Self {
        self.approvals = Some(approvals);
        self
    }

    /// Opens a front end. If there are several, each request goes to one of them: the one that asks for it first.
    #[must_use]
    pub fn front_end(&self) -> FrontEnd {
        FrontEnd::new(&self.counter)
    }

    /// Sends a request, and waits for the reply.
    pub(super) async fn send(&self, request: Request, time: Option<Duration>) -> Result<Response, Unanswered> {
        let time = time.unwrap_or(self.timeout).min(LONGEST);
        let slot = Arc::new(Slot::new(request, Instant::now() + time));
        let _line = self.counter.line_up(&slot);
        let mut state = slot.watch();
        // The result borrows the state, so it must not live longer than this statement.
        let is_over =
            timeout_at(slot.deadline, state.wait_for(|state| !matches!(state, SlotState::Open))).await.is_err();
        if is_over {
            slot.end(Ended::Expired);
        }
        // A reply that came just before the end of the time counts.
        match slot.state() {
            SlotState::Replied(response) => Ok(response),
            SlotState::Ended(Ended::Abandoned) => Err(Unanswered::Abandoned),
            _ => Err(Unanswered::Expired { time, was_seen: slot.was_taken() }),
        }
    }

    async fn ask_people(&self, request: &ApprovalRequest, ctx: &RailContext) -> Result<Answer, AskError> {
        // The time of the request is that at the desk. In the inbox, the time of the inbox counts.
        let later = ApprovalRequest { expires_in_ms: None, ..request.clone() };
        if let Some(inbox) = &self.inbox
            && let Some(answer) = inbox.found(&later).await?
        {
            return Ok(answer);
        }
        let time = request.expires_in_ms.map(Duration::from_millis);
        let unanswered = match self.send(Request::Approval(request.clone()), time).await {
            Ok(Response::Reply(reply)) => return Ok(Answer::Now(reply)),
            Ok(Response::Answer(_)) => return Ok(Answer::Nobody(Reason::new("the reply was not about the call"))),
            Err(unanswered) => unanswered,
        };
        let suspends = request.on_timeout.unwrap_or(self.on_timeout) == OnTimeout::Suspend;
        match (&unanswered, &self.inbox) {
            (Unanswered::Expired { .. }, inbox) if suspends => {
                if let Some(inbox) = inbox {
                    inbox.put(&later, ctx).await?;
                }
                Ok(Answer::Later(request.question(ctx)))
            }
            _ => Ok(Answer::Nobody(Reason::new(format!("{unanswered}, so the call is denied")))),
        }
    }
}

/// The reason why a request has no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unanswered {
    #[error("{} within {}", if *.was_seen { "no person replied" } else { "no person was there to reply" }, seconds(*.time))]
    Expired { time: Duration, was_seen: bool },
    #[error("the front end ended without a reply")]
    Abandoned,
}

impl Ask for Desk {
    async fn ask(&self, request: &ApprovalRequest, ctx: &mut RailContext) -> Result<Answer, AskError> {
        self.ask_people(request, ctx).await
    }

    fn approvals(&self) -> Option<&Approvals> {
        self.approvals.as_ref().or_else(|| self.inbox.as_ref()?.approvals())
    }
}
