//! Requests for approval and their replies in the forms of two protocols between agents and front ends.
//!
//! - [AG-UI](https://docs.ag-ui.com/concepts/interrupts): [`Interrupt`], [`ResumeEntry`] and [`RunFinished`].
//! - The [Model Context Protocol](https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation): the module
//!   [`mcp`] has the parameters and the result of an elicitation.
//!
//! The requests are those of [`exo_rails_guards::approval`]: an [`ApprovalRequest`] of a guard, or a [`UserQuestion`] of the
//! model. The conversions lose nothing. A reply that does not clearly approve is an error, and no call runs.
//!
//! # AG-UI
//!
//! In AG-UI, a run that waits for a person ends with the outcome `interrupt`, and the next run of the thread has a list `resume`
//! with a response to each interrupt. The types of this crate have the names and the fields of the protocol, in its version of
//! 2026.
//!
//! | here | AG-UI |
//! |---|---|
//! | [`ApprovalRequest`] | [`Interrupt`] with the reason `tool_call`, or `confirmation` if no model made the call |
//! | [`UserQuestion`] | [`Interrupt`] with the reason `input_required` |
//! | [`Reply`], [`UserAnswer`] | [`ResumeEntry`] |
//! | a suspended run | [`RunFinished`] with the outcome `interrupt` |
//!
//! The payload of a reply is the one that AG-UI recommends, `{ "approved": true, "editedArgs": … }`, with two further fields:
//!
//! | [`Reply`] | payload |
//! |---|---|
//! | `ApproveOnce` | `{ "approved": true }` |
//! | `ApproveForSession`, `ApproveForever` | `{ "approved": true, "remember": "session" }`, or `"forever"` |
//! | `Deny` | `{ "approved": false, "reason": "…" }`, the reason is optional |
//! | `Change` | `{ "approved": true, "editedArgs": { … } }` |
//!
//! An entry with the status `cancelled` denies. The whole request is in the metadata of the interrupt, under `exo-rails`, so
//! that a front end can show it, and so that the conversions lose nothing. The id of an interrupt has a hash of the request, so an
//! entry only answers the request that the person was shown. Do not trust a request that comes back from a front end: compare the id
//! with the requests that are open, as [`replies`] does.
//!
//! ```
//! use exo_rails::prelude::*;
//! use exo_rails_ag_ui::{Interrupt, ResumeEntry, RunFinished};
//! use exo_rails_guards::approval::{ApprovalRequest, Reply};
//! use serde_json::{from_value, json};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let call = ToolCallInputs { id: "tc-001".into(), ..ToolCallInputs::new("send_email") };
//! let ctx = RunContext::new("mail").with_run_id("run-1");
//! let request = ApprovalRequest::new("approval", "mail", &call, "a person approves each mail", &ctx);
//!
//! let event = RunFinished::interrupted("thread-1", ctx.run_id(), [Interrupt::from(&request)]);
//! let event = json!(event);
//! assert_eq!(event["outcome"]["interrupts"][0]["toolCallId"], "tc-001");
//!
//! // The next input of the thread. The front end has the id from the event.
//! let id = &event["outcome"]["interrupts"][0]["id"];
//! let resume: Vec<ResumeEntry> = from_value(json!([
//!     { "interruptId": id, "status": "resolved", "payload": { "approved": true } },
//! ]))?;
//! let replies = exo_rails_ag_ui::replies(&[request], &resume)?;
//! assert_eq!(replies, [("run-1/mail/0.0/approval".to_owned(), Reply::ApproveOnce)]);
//! # Ok(()) }
//! ```
//!
//! [`ApprovalRequest`]: exo_rails_guards::approval::ApprovalRequest
//! [`Reply`]: exo_rails_guards::approval::Reply
//! [`UserAnswer`]: exo_rails_guards::approval::UserAnswer
//! [`UserQuestion`]: exo_rails_guards::approval::UserQuestion

mod ag_ui;
pub mod mcp;
mod object;

pub use ag_ui::{EventType, Interrupt, Outcome, ResumeEntry, ResumeError, ResumeStatus, RunFinished, replies};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
