//! Async closures that borrow a price list and a counter for all attempts, and one that writes into a vector.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;

struct PriceList(HashMap<&'static str, u32>);

impl PriceList {
    async fn price(&self, item: &str) -> Option<u32> {
        tokio::task::yield_now().await;
        self.0.get(item).copied()
    }
}

#[rail(priority = 20, on = [ToolError])]
fn once_more(error: &OperationError) -> RailAction {
    RailAction::retry(error.message.clone())
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let prices = PriceList(HashMap::from([("tea", 3), ("cake", 4)]));
    let (rails, mut ctx, attempts) = (rail_chain![once_more], RunContext::new("cafe"), AtomicU32::new(0));
    let call = ToolCallInputs::new("price").with_arguments(serde_json::json!({ "item": "cake" }));

    let look_up = async |call: Permit<ToolCallInputs>| {
        if attempts.fetch_add(1, Ordering::Relaxed) == 0 {
            return Err("the till is busy".to_owned());
        }
        let item = call.str_argument("item").unwrap_or_default();
        let price = prices.price(item).await.ok_or_else(|| format!("there is no {item} today"))?;
        Ok(format!("{price} euros"))
    };
    let output = rails.guard_tool_call(call.clone(), &mut ctx, look_up).await?;
    assert_eq!(output.content, "4 euros");
    assert_eq!(attempts.into_inner(), 2);

    let mut orders = Vec::new();
    let order = async |call: Permit<ToolCallInputs>| {
        orders.push(call.str_argument("item").map(ToOwned::to_owned));
        Ok::<_, OperationError>("on its way")
    };
    rails.guard_tool_call_once(call, &mut ctx, order).await?;
    assert_eq!(orders, [Some("cake".to_owned())]);
    Ok(())
}
