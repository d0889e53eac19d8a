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

/// Without the error, the rules would be off and nobody would notice.
#[cfg(not(feature = "shell"))]
#[test]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
fn rules_about_commands_without_the_feature_are_a_mistake() {
    let error = exo_rails_guards::Kit::from_toml("[permissions.shell]\nunreadable = 'ask'").unwrap_err().to_string();
    assert!(error.ends_with("need the feature `shell` of `exo-rails-guards`: enable it"), "{error}");
}
