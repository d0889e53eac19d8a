//! Runnable programs. Each shows one thing: `cargo run --example NAME`.
