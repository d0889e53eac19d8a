//! Budgets: limits of the calls, tokens, costs, time and bytes of a run, a session, a user, an agent or the whole program.
//!
//! [`Budgets`] is the guard. A [`BudgetLimit`] names what it counts ([`Measure`]), for whom ([`Scope`](crate::Scope)), and when
//! the count begins again ([`Window`]). A limit of costs needs a [`Price`] for each model.

mod config;
mod decimal;
mod estimate;
mod guard;
mod held;
mod price;

pub use config::{BudgetLimit, BudgetsConfig, Estimate, Measure, UnknownPrice, Unreported, Window};
pub use decimal::Decimal;
pub use guard::{BudgetError, Budgets};
pub(crate) use held::Open;
pub use price::Price;
