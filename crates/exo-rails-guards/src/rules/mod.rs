//! Rules about tool calls: conditions, commands, and how a call is compared with them.

pub(crate) mod call;
pub(crate) mod command;
pub(crate) mod condition;
mod matcher;
pub(crate) mod rule;
pub(crate) mod tools;

pub(crate) use matcher::CallMatcher;
pub(crate) use tools::usual_effect;
