//! Configuration: reads TOML into typed values, and reports the place of each mistake. The types are those of `exo-rails-policy`.

pub use exo_rails_policy::{ConfigError, FailureKind, GuardMode, MakeGuard, Sections, WithMode, from_toml, read};

/// Lets a configuration make its guard, and the guard begin a configuration. The guard must have a function `new`, which checks
/// the configuration.
macro_rules! makes {
    ($guard:ident, $config:ty) => {
        impl exo_rails_policy::MakeGuard<$guard> for $config {
            fn make(self) -> Result<$guard, exo_rails_policy::ConfigError> {
                $guard::new(self)
            }
        }

        impl $guard {
            /// Returns a configuration with the default values. Its methods set other values, and `build` makes the guard.
            #[must_use]
            pub fn builder() -> $config {
                <$config>::default()
            }
        }
    };
}

pub(crate) use makes;
