//! What the kit needs to know about a guard.

use std::sync::Arc;

use exo_rails_policy::{ConfigError, Table};

/// A guard that a policy file can switch on. Each guard implements the trait beside its own code.
///
/// The configuration of the guard is a [`Table`] of the file. What a file cannot hold, such as a store or a person to ask, is in
/// [`Needs`](Self::Needs): a type that the [`KitBuilder`](crate::kit::KitBuilder) [supplies](Supply).
///
/// ```
/// use exo_rails_guards::Retry;
/// use exo_rails_guards::kit::KitGuard;
/// use exo_rails_policy::Table;
/// use exo_rails_policy::retry::RetryConfig;
///
/// assert_eq!(<Retry as KitGuard>::Config::KEY, "retry");
/// let retry = Retry::make(RetryConfig::default(), ())?;
/// # drop(retry);
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
pub trait KitGuard: Sized {
    /// The configuration.
    type Config: Table;

    /// What the guard needs and a file cannot hold: `()`, one type, or several in a tuple.
    type Needs;

    /// Whether the guard can ask a person.
    const ASKS: bool = false;

    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key if the guard cannot work with a value.
    fn make(config: Self::Config, needs: Self::Needs) -> Result<Self, ConfigError>;
}

/// Supplies what guards need.
pub trait Supply<T> {
    /// Returns the value.
    fn supply(&self) -> T;
}

impl<B> Supply<()> for B {
    fn supply(&self) {}
}

impl<B: Supply<X> + Supply<Y>, X, Y> Supply<(X, Y)> for B {
    fn supply(&self) -> (X, Y) {
        (self.supply(), self.supply())
    }
}

impl<B: Supply<X> + Supply<Y> + Supply<Z>, X, Y, Z> Supply<(X, Y, Z)> for B {
    fn supply(&self) -> (X, Y, Z) {
        (self.supply(), self.supply(), self.supply())
    }
}

/// The names of a program's tools. An empty list means that nobody has named them.
#[derive(Clone, Debug, Default)]
pub struct KnownTools(pub Arc<Vec<String>>);

/// Says that a configuration is all that a guard needs.
macro_rules! needs_only_its_configuration {
    ($guard:ident, $config:ty) => {
        impl $crate::kit_guard::KitGuard for $guard {
            type Config = $config;
            type Needs = ();

            fn make(config: $config, (): ()) -> Result<Self, exo_rails_policy::ConfigError> {
                Self::new(config)
            }
        }
    };
}

pub(crate) use needs_only_its_configuration;
