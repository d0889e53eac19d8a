//! The chain of all guards, its configuration, and changes of the configuration.

mod configuration;
mod modes;
mod watching;
