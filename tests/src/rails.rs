//! Guard sets of one type.

use exo_rails::{ManagedRail, RailManager};

/// Makes a [`RailManager`] with these rails: `rails![log, Limit::new(3)]`. A name stands for the rail of a function.
///
/// Each `rail_chain!` is a type of its own, and the compiler makes the code of an agent or of a guarded call again for each
/// type. All guard sets that this macro makes have one type. So use this macro for tests of what rails do, and `rail_chain!`
/// for tests of chains. The tests of `guards::guard_sets_agree` show that both do the same.
#[macro_export]
macro_rules! rails {
    (@add $rails:ident) => {};
    (@add $rails:ident $rail:ident $(, $($others:tt)*)?) => {
        $crate::add(&mut $rails, $rail {});
        $crate::rails!(@add $rails $($($others)*)?);
    };
    (@add $rails:ident $rail:expr $(, $($others:tt)*)?) => {
        $crate::add(&mut $rails, $rail);
        $crate::rails!(@add $rails $($($others)*)?);
    };
    ($($rails:tt)*) => {{
        #[allow(unused_mut, reason = "there may be no rails")]
        let mut rails = ::exo_rails::RailManager::new();
        $crate::rails!(@add rails $($rails)*);
        rails
    }};
}

/// Adds a rail of [`rails!`](crate::rails!).
///
/// # Panics
/// Panics if the rail is in the manager already.
pub fn add(rails: &mut RailManager, rail: impl ManagedRail) {
    rails.add(rail).unwrap();
}
