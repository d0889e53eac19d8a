//! Guards that limit and repeat calls, and kits of several guards.

mod budgets;
mod combined;
#[cfg(all(
    feature = "handlers",
    feature = "paths",
    feature = "schema",
    feature = "shell",
    feature = "urls",
    feature = "watch"
))]
mod kit;
mod resilience;
mod store;
