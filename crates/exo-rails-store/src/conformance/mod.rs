//! The tests that every [`StateStore`](crate::StateStore) must pass. Feature `conformance`.
//!
//! The stores of this crate pass them. If you write a store, run them too: implement [`Fixture`], and let
//! [`conformance_tests!`](crate::conformance_tests) make a `#[test]` of each function of this module.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//! use exo_rails_store::{MemoryStore, StateStore, StateStoreExt, conformance};
//!
//! /// The store under test: here a store that adds a prefix to all keys.
//! struct Prefixed(Arc<dyn StateStore>);
//!
//! impl conformance::Fixture for Prefixed {
//!     const TOKIO_CLOCK: bool = true;
//!
//!     fn new() -> Option<Self> {
//!         Some(Self(MemoryStore::new().namespace("prefix")))
//!     }
//!
//!     fn store(&self) -> Arc<dyn StateStore> {
//!         self.0.clone()
//!     }
//!
//!     fn advance(&mut self, _: Duration) {}
//! }
//!
//! // In a test file, this line makes the tests.
//! exo_rails_store::conformance_tests!(Prefixed);
//!
//! // Each test is a function too.
//! conformance::records_expire::<Prefixed>();
//! ```
//!
//! A store with another clock needs a way to move it forward, such as `FileStore::clock_ahead`. Then
//! [`advance`](Fixture::advance) opens the store again, with the clock further ahead.
//!
//! Each function panics if the store does not behave as the documentation of [`StateStore`](crate::StateStore) says.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test that cannot go on has failed"
)]

mod behaviour;
mod bench;
mod contention;
mod model;

pub use bench::Fixture;

/// The list of the tests. It exports each of them, and makes the macro that writes the `#[test]`s. `$d` is a dollar sign.
macro_rules! tests {
    ($d:tt $($module:ident::$test:ident,)*) => {
        $(pub use $module::$test;)*

        /// Writes a `#[test]` for each function of the module [`conformance`](crate::conformance). The argument is a type
        /// with the trait [`Fixture`](crate::conformance::Fixture).
        ///
        /// Call it in a module for each store that you test.
        #[macro_export]
        #[cfg_attr(docsrs, doc(cfg(feature = "conformance")))]
        macro_rules! conformance_tests {
            ($d fixture:ty) => {
                $(
                    #[test]
                    fn $test() {
                        $crate::conformance::$test::<$d fixture>();
                    }
                )*
            };
        }
    };
}

tests! { $
    behaviour::records_change_only_if_they_are_expected,
    behaviour::keys_and_values_are_any_text_and_bytes,
    behaviour::records_expire,
    behaviour::a_claim_is_refused_from_the_first_amount_over_the_limit,
    behaviour::several_claims_are_all_reserved_or_none,
    behaviour::a_reservation_counts_once,
    behaviour::an_expired_reservation_is_free_and_its_use_still_counts,
    behaviour::a_window_ends_after_its_first_use,
    behaviour::a_counter_is_forgotten_if_nothing_is_reserved,
    behaviour::amounts_do_not_overflow,
    behaviour::the_time_until_there_is_room_is_exact_for_large_amounts,
    behaviour::logs_keep_the_last_entries_and_expire,
    behaviour::namespaces_share_nothing,
    behaviour::updates_see_the_record_and_say_what_is_wrong,
    contention::tasks_never_spend_more_than_the_budget,
    contention::no_update_is_lost,
    contention::one_settlement_of_many_counts,
    model::the_store_does_what_the_model_does,
}
