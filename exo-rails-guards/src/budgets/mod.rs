//! Budgets: how much a run, a session, a user, an agent or the whole program may use.

mod config;
mod decimal;
mod estimate;
mod guard;
mod held;
mod price;

pub use config::{BudgetLimit, BudgetsConfig, Estimate, Measure, UnknownPrice, Unreported, Window};
pub use decimal::Decimal;
pub use guard::{BudgetError, Budgets};
pub use price::Price;
