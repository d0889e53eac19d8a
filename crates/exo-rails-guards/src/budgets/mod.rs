//! Budgets: limits of the calls, tokens, costs, time and bytes of a run, a session, a user, an agent or the whole program.
//!
//! [`Budgets`] is the guard. A [`BudgetLimit`] names what it counts ([`Measure`]), for whom ([`Scope`](crate::Scope)), and when
//! the count begins again ([`Window`]). A limit of costs needs a [`Price`] for each model.

mod estimate;
mod guard;
mod price;

pub use exo_rails_policy::Decimal;
pub use exo_rails_policy::budgets::{
    BudgetLimit, BudgetsConfig, Estimate, Measure, Price, UnknownPrice, Unreported, Window,
};
pub use guard::{BudgetError, Budgets};
