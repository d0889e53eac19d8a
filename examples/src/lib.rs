//! Runnable programs, each about one thing: `cargo run --example NAME`.
