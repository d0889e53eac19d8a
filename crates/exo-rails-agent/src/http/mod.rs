//! The common parts of all models behind HTTP servers: settings, the connection, streams of events, failures.
//!
//! Each provider has a [`Provider`], with the address of its server, and a [`Protocol`], which writes requests and reads
//! answers.

mod body;
mod connection;
mod events;
mod failure;
mod json;
mod limits;
mod reading;
mod secret;
mod settings;
mod thread;
mod transport;

pub use settings::ModelConfigError;

pub(crate) use connection::{Connection, Protocol};
pub(crate) use events::Event;
pub(crate) use failure::told;
pub(crate) use json::{BLOCKS, drop_nulls, error_event, options, unreadable};
#[cfg(feature = "anthropic-http")]
pub(crate) use limits::memory_of_fields;
pub(crate) use reading::Decoder;
pub(crate) use secret::Secret;
pub(crate) use settings::{Provider, Settings, Variables, timeouts_and_headers};

#[cfg(all(any(test, fuzzing), feature = "openai-http", feature = "anthropic-http"))]
pub(crate) use self::{
    connection::response,
    limits::{Limits, memory_of_json},
    reading::Pieces,
    secret::Secrets,
};
