//! Tests of the source code and the documentation themselves.

mod event_table;
mod extra_fields;
mod guards;
mod keys;
mod layers;
mod packages;
mod security;
mod vocabulary;
