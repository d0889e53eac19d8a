//! The message should say: this is not a list of `BudgetLimit`.

use exo_rails_guards::Budgets;

fn main() {
    let _ = Budgets::builder().limits([1_000]).build();
}
