//! The program derives `Event` for an enum, with a variant for each event. An ideal message says that each event is a unit struct
//! of its own, and shows one struct for each variant: `struct OrderPlaced;` and `struct OrderPaid;`.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Order {
    number: u32,
    euros: u32,
}

/// What happens in the shop.
#[derive(Event)]
#[event(payload = &mut Order, allows = "abort")]
enum ShopEvent {
    OrderPlaced,
    OrderPaid,
}

#[rail(priority = 10, on = [ShopEvent])]
fn has_a_price(order: &Order) -> Verdict {
    Verdict::abort_if(order.euros == 0, format!("order {} has no price", order.number))
}

rail_chain! {
    #[chain(events = [ShopEvent])]
    struct ShopRails { has_a_price }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RailFault> {
    let mut order = Order { number: 7, euros: 30 };
    let decision = ShopRails.dispatch::<ShopEvent>(&mut order, &mut RunContext::new("shop")).await?;
    assert!(decision.is_continue());
    Ok(())
}
