//! The guards of secrets and of personal data.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

mod chunks;
mod configuration;
mod escapes;
mod events;
mod formats;
mod personal_data;
mod placeholders;
mod places;
mod pointers;
mod rates;
mod streams;
