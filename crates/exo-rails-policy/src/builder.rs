//! Builders: a configuration in code.

use crate::ConfigError;

/// A configuration from which a guard is made.
///
/// The crate of the guard implements it, so that a configuration can be written in code, and becomes the guard with `build`:
///
/// ```
/// use exo_rails_policy::sizes::SizesConfig;
/// use exo_rails_policy::{ConfigError, MakeGuard};
///
/// /// A guard of another crate.
/// struct Depth(usize);
///
/// impl MakeGuard<Depth> for SizesConfig {
///     fn make(self) -> Result<Depth, ConfigError> {
///         Ok(Depth(self.max_depth))
///     }
/// }
///
/// let guard: Depth = SizesConfig::default().max_depth(8).build()?;
/// assert_eq!(guard.0, 8);
/// # Ok::<(), ConfigError>(())
/// ```
pub trait MakeGuard<G> {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key if the guard cannot work with a value.
    fn make(self) -> Result<G, ConfigError>;
}

/// A list of texts, such as the names of tools: any iterator over texts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of texts",
    label = "not a list of texts",
    note = "a list has brackets, also with one text: `[\"search\"]`"
)]
pub trait TextList {
    /// Returns the texts.
    fn texts(self) -> Vec<String>;
}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item: AsRef<str>>> TextList for I {
    fn texts(self) -> Vec<String> {
        self.into_iter().map(|text| text.as_ref().to_owned()).collect()
    }
}

/// A list of configurations: any iterator over values that convert into `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of `{T}`",
    label = "not a list of `{T}`",
    note = "the documentation of `{T}` says how to make one; from a rule in words, make one with `\"at most 3 refund\".parse::<SequenceRule>()?`"
)]
pub trait ListOf<T> {
    /// Returns the configurations.
    fn list(self) -> Vec<T>;
}

#[diagnostic::do_not_recommend]
impl<T, I: IntoIterator<Item: Into<T>>> ListOf<T> for I {
    fn list(self) -> Vec<T> {
        self.into_iter().map(Into::into).collect()
    }
}

/// Turns a configuration type into a builder. The macro generates a setter for each field, and the method `build`. A field in
/// brackets is a list, and its setter takes any iterator over the items.
macro_rules! setters {
    ($config:ident { $($field:ident: $type:tt),+ $(,)? }) => {
        impl $config {
            $($crate::builder::setters!(@setter $field $type);)+

            /// Makes the guard. The crate of the guard must be there: it says how.
            ///
            /// # Errors
            /// Returns the errors of the guard's `new`. Each names the key, and what to write.
            pub fn build<G>(self) -> Result<G, $crate::ConfigError>
            where
                Self: $crate::MakeGuard<G>,
            {
                $crate::MakeGuard::make(self)
            }
        }
    };
    // A `char` converts into a `String`, and rustc proposes `.chars()` for a text in the place of a list.
    (@setter $field:ident [String]) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $field(mut self, $field: impl $crate::TextList) -> Self {
            self.$field = $field.texts().into_iter().collect();
            self
        }
    };
    (@setter $field:ident [$item:ty]) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $field(mut self, $field: impl $crate::ListOf<$item>) -> Self {
            self.$field = $field.list().into_iter().collect();
            self
        }
    };
    (@setter $field:ident ($type:ty)) => {
        $crate::builder::setters!(@setter $field $type);
    };
    (@setter $field:ident $type:ty) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $field(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    };
}

pub(crate) use setters;
