//! Data flow: values from untrusted sources must not reach certain arguments.
//!
//! A page, a mail or a document can contain an address, a path or an instruction that an attacker has written. The model reads it
//! and may use it in the next call. [`DataFlow`] remembers what untrusted tools have returned, and compares the arguments of
//! later calls with it.
//!
//! The page "Data flow" of the book lists the copies that the guard finds and those that it does not find, what is not tainted,
//! and how long a value is remembered.

mod declared;
mod folded;
mod guard;
mod hash;
mod learned;
mod leaves;
mod marks;
mod shared;
mod state;
mod values;
mod watched;
mod words;

pub use declared::{clear, taint, trust};
pub use exo_rails_policy::data_flow::{DataFlowConfig, FlowScope, Sanitizer, Sink, SinkDecision, Source};
pub use guard::{DataFlow, FlowError};
pub use state::FlowState;
