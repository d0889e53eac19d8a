//! Builders: a configuration in code.

/// Makes a configuration its own builder: a method for each field, `build`, and `builder` of the guard. A field in brackets
/// is a list, and its method takes anything that makes the items.
///
/// The guard has a function `new`, which checks the configuration.
macro_rules! builder {
    ($guard:ident, $config:ident { $($field:ident: $type:tt),+ $(,)? }) => {
        impl $config {
            $($crate::config::builder!(@setter $field $type);)+

            /// Makes the guard.
            ///
            /// # Errors
            /// Returns an error that names the key, and what to write, if a value makes no sense.
            pub fn build(self) -> Result<$guard, $crate::ConfigError> {
                $guard::new(self)
            }
        }

        impl $guard {
            /// Starts with the defaults.
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
