//! Tests of the audit log. Run them with
//! `cargo test -p exo-rails-guards --features audit-sign --test audit`.

mod bench;
// mod canary;
mod changes;
mod failures;
mod files;
mod kills;
// mod memory;
mod records;
mod signatures;
