//! A custom operation with a retry, and a rail around it that other code shares in an `Arc`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;
use exo_rails::{Next, Operation};

#[derive(Clone, Debug)]
struct Parcel(u32);
#[derive(Debug, PartialEq)]
struct Label(String);

#[derive(Operation)]
#[operation(inputs = Parcel, output = Label)]
struct PrintLabel;

#[rail(on = [PrintLabelError])]
fn print_again(error: &OperationError) -> RailAction {
    RailAction::retry(error.message.clone())
}

#[derive(Default)]
struct Statistics(AtomicU32);

#[rail(priority = 80)]
impl Statistics {
    #[on(PrePrintLabel, around)]
    async fn count(&self, next: impl Next<PrintLabel>) -> Result<Label, OperationError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        next.run().await
    }
}

rail_chain! {
    #[chain(operations = [PrintLabel])] struct PostRails { print_again, statistics: Arc<Statistics> }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let statistics = Arc::<Statistics>::default();
    let (rails, mut ctx) = (PostRails { statistics: Arc::clone(&statistics) }, RunContext::new("post"));
    let print = async |parcel: Permit<Parcel>| {
        if parcel.attempt() == 0 { Err("the printer has no paper") } else { Ok(Label(format!("{} g", parcel.0))) }
    };
    let label = rails.guard_operation::<PrintLabel, _>(Parcel(900), &mut ctx, print).await?;
    assert_eq!(label, Label("900 g".to_owned()));
    assert_eq!(statistics.0.load(Ordering::Relaxed), 2);
    Ok(())
}
