#![doc = include_str!("../README.md")]
#![allow(clippy::doc_markdown, reason = "DyGram is a name, and no item of the code")]

mod conditions;
mod contexts;
mod plan;

pub use crate::conditions::{Condition, ConditionError, Facts};
pub use crate::contexts::{AccessError, ContextRules, Contexts, FieldRule, Grant, Written, fits, schema_of};
pub use crate::plan::{Barrier, Flow, ListName, OnError, Plan, PlanEdge, PlanError, PlanNode, Work};
