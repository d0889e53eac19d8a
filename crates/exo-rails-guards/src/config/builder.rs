//! Builders: a configuration in code.

/// Turns a configuration type into a builder. The macro generates a setter for each field, the method `build`, and the function
/// `builder` of the guard. A field in brackets is a list, and its setter takes any iterator over the items.
///
/// The guard must have a function `new`, which checks the configuration.
macro_rules! builder {
    ($guard:ident, $config:ident { $($field:ident: $type:tt),+ $(,)? }) => {
        impl $config {
            $($crate::config::builder!(@setter $field $type);)+

            /// Makes the guard.
            ///
            /// # Errors
            /// Returns the errors of the guard's `new`. Each names the key, and what to write.
            pub fn build(self) -> Result<$guard, $crate::ConfigError> {
                $guard::new(self)
            }
        }

        impl $guard {
            /// Returns a configuration with the default values. Its methods set other values, and `build` makes the guard.
            #[must_use]
            pub fn builder() -> $config {
                $config::default()
            }
        }
    };
    (@setter $field:ident [$item:ty]) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $field(mut self, $field: impl IntoIterator<Item: Into<$item>>) -> Self {
            self.$field = $field.into_iter().map(Into::into).collect();
            self
        }
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

pub(crate) use builder;
