#![doc = include_str!("../README.md")]
#![allow(clippy::doc_markdown, reason = "DyGram is a name, and no item of the code")]

mod contexts;

pub use crate::contexts::{AccessError, ContextRules, Contexts, FieldRule, Grant, Written, fits, schema_of};
