//! What holds for the source code itself, apart from what it does.

mod event_table;
mod extra_fields;
mod layers;
mod security;
