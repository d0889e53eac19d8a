//! Guards that search and change texts.

mod content;
mod data_flow;
mod secrets;
