//! Approval: what a guard asks a person about a tool call, and what the person replies.
//!
//! Guards such as [`Permissions`](crate::Permissions) decide *that* a person must agree to a tool call. A type that implements
//! [`Ask`] decides *how* the person is asked. Without one, guards use [`SuspendRun`]: the run stops, your program stores it
//! and shows the request, and the run continues with the reply.

mod request;
mod settle;
mod suspend;

pub use request::{Answer, ApprovalRequest, Ask, AskError, AskFuture, Reply};
pub(crate) use settle::{Settled, is_approved, note_written, settle, suspended};
pub use suspend::SuspendRun;
