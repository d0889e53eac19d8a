//! Approval: what a guard asks a person about a tool call, and what the person replies.
//!
//! The guards [`Approval`], [`Permissions`](crate::Permissions) and [`RiskScore`](crate::RiskScore) decide
//! *that* a person must agree to a tool call. A type that implements [`Ask`] decides *how* the person is asked:
//!
//! | type | how |
//! |---|---|
//! | [`SuspendRun`], the default | the run is suspended. Your program stores it and shows the request, and the run continues with the reply |
//! | [`Inbox`] | the same, and a store has the open requests and the replies. The process may end, and another one replies |
//! | [`Desk`] | the run waits while a front end shows the request to a person who is there |
//!
//! The guards share the rest:
//!
//! - A request is an [`ApprovalRequest`], and each request takes one [`Reply`].
//! - An approval for the session or for ever is valid for exactly what the person has seen. [`Approvals`] keep it in a store,
//!   list it and revoke it.
//! - If the person changes the arguments, all rails judge the changed call: see [`ChangedCalls`].
//! - A person who refuses can say why, and the model reads it.
//! - If a person has just replied to one guard about a call, the others do not ask about the call again. An approval that is
//!   remembered is only for the guard that asked.
//! - The event bus publishes each decision as a record with the name `approval`: the request, and `approved`, `denied`,
//!   `changed` or `nobody`.
//!
//! A front end shows [`ApprovalRequest::shown`], so that the arguments cannot deceive the person: control characters, marks of
//! direction and invisible characters are visible, long parts are shortened with a count, and words of several scripts are
//! named.
//!
//! [`ask_user`] is a tool with which the model asks the user a question on the same channel. The crate `exo-rails-ag-ui` writes
//! requests and replies in the forms of AG-UI and MCP.

mod approvals;
mod ask;
mod ask_user;
mod changes;
mod desk;
mod guard;
mod inbox;
mod question;
mod reply_error;
mod request;
mod settle;
mod shown;
mod suspend;
mod visible;

pub use approvals::{Approvals, StoredApproval};
pub use ask::{Answer, Ask, AskError, Asker, IntoAsker};
pub use ask_user::ask_user;
pub use changes::ChangedCalls;
pub(crate) use changes::is_approved;
pub use desk::{Desk, FrontEnd, IntoResponse, Pending, Request, Response};
pub use exo_rails_policy::approval::{ApprovalConfig, ApprovalRule, OnTimeout, Remember};
pub use guard::Approval;
pub use inbox::{Inbox, OpenRequest};
pub use question::{UserAnswer, UserQuestion};
pub use reply_error::ReplyError;
pub use request::{ApprovalRequest, Reply};
pub(crate) use settle::{Settled, forget_session, providing, settle};
pub use shown::{ShownCall, ShownLimits};
pub use suspend::SuspendRun;
pub use visible::visible;
