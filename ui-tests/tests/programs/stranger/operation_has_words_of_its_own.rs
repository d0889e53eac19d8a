//! What it shows: a custom operation in a module, whose three events have other names, guarded by a chain and by a manager.

mod billing {
    use exo_rails::Operation;

    #[derive(Clone, Debug)]
    pub struct Charge {
        pub cents: u64,
    }

    #[derive(Debug, PartialEq)]
    pub struct Receipt(pub String);

    #[derive(Operation)]
    #[operation(
        inputs = Charge,
        output = Receipt,
        pre = BeforeCharging,
        post = Charged,
        failed = ChargeFailed,
        name = "card_charge",
    )]
    pub struct TakePayment;
}

use billing::{BeforeCharging, Charge, ChargeFailed, Charged, Receipt, TakePayment};
use exo_rails::prelude::*;

#[rail(priority = 10, on = [BeforeCharging])]
fn round_down(charge: &mut Charge) {
    charge.cents -= charge.cents % 100;
}

#[rail(priority = 20, on = [ChargeFailed])]
fn on_credit(charge: &Charge, error: &OperationError) -> RailAction<Receipt> {
    RailAction::skip_with(Receipt(format!("{} on credit", charge.cents)), error.message.clone())
}

#[rail(priority = 30, on = [Charged])]
fn stamp(charge: &Charge, receipt: &mut Receipt) {
    receipt.0.push_str(if charge.cents > 10_000 { ", large" } else { ", small" });
}

rail_chain! {
    #[chain(operations = [TakePayment])]
    struct TillRails { stamp, on_credit, round_down }
}

async fn card(charge: Permit<Charge>) -> Result<Receipt, String> {
    if charge.cents > 20_000 { Err("the card is empty".to_owned()) } else { Ok(Receipt(charge.cents.to_string())) }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut manager = RailManager::new();
    manager.add(round_down {})?;
    manager.add(stamp {})?;
    manager.add(on_credit {})?;

    let mut ctx = RunContext::new("till");
    for (cents, expected) in [(1_234, "1200, small"), (30_001, "30000 on credit, large")] {
        let chained = TillRails.guard_operation::<TakePayment, _>(Charge { cents }, &mut ctx, card).await?;
        let managed = manager.guard_operation::<TakePayment, _>(Charge { cents }, &mut ctx, card).await?;
        assert_eq!((chained.0.as_str(), managed.0.as_str()), (expected, expected));
    }
    Ok(())
}
