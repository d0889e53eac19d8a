//! What it shows: a module has the tools and a function with their typed rules, and the program adds a rule that is a text.
use exo_rails::prelude::*;
use exo_rails_guards::ConfigError;
use exo_rails_guards::sequence::{Sequence, SequenceRule};

mod shop {
    use exo_rails::prelude::*;
    use exo_rails::tools;
    use exo_rails_guards::sequence::{SequenceRule, sequence_rules};
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    #[derive(Serialize, Deserialize)]
    pub struct Order {
        pub id: u64,
    }

    /// Takes the money for an order.
    #[derive(Serialize, Deserialize, ToolArgs)]
    #[tool(name = "pay", schema = json!({ "type": "object" }))]
    pub struct Pay {
        pub order: Order,
        pub euros: Option<f64>,
    }

    /// Sends an order.
    #[derive(Serialize, Deserialize, ToolArgs)]
    #[tool(name = "ship", schema = json!({ "type": "object" }))]
    pub struct Ship {
        pub order: Order,
    }

    /// Adds up the orders of today.
    #[derive(Serialize, Deserialize, ToolArgs)]
    #[tool(name = "sum-of-today", schema = json!({ "type": "object" }))]
    pub struct SumOfToday {}

    tools! {
        pub struct ShopTools { pay: Pay, ship: Ship, sum: SumOfToday }
    }

    pub fn tools() -> ShopTools {
        ShopTools {
            pay: Pay::tool(|args| async move { Ok::<_, OperationError>(format!("{:?} euros for {}", args.euros, args.order.id)) }),
            ship: Ship::tool(|args| async move { Ok::<_, OperationError>(format!("{} has left", args.order.id)) }),
            sum: SumOfToday::tool(|_| async { Ok::<_, OperationError>("12.5 euros") }),
        }
    }

    /// The rules of every program with these tools.
    pub fn rules() -> [SequenceRule; 4] {
        sequence_rules! {
            tools = ShopTools;
            ship only after pay same order.id;
            /// Nobody gets two parcels.
            once: at most 1 ship same order.id;
            sum of euros in pay at most 1_000;
            at most 1 r#sum within 1d;
        }
    }
}

use shop::{Order, Pay, Ship, SumOfToday};

rail_chain! {
    struct ShopRails { sequence: Sequence }
}

fn rails(text: &str) -> Result<ShopRails, ConfigError> {
    let own: SequenceRule = text.parse()?;
    Ok(ShopRails { sequence: Sequence::builder().rules(shop::rules().into_iter().chain([own])).build()? })
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    assert_eq!(shop::ShopTools::NAMES, ["pay", "ship", "sum-of-today"]);
    assert_eq!(shop::rules()[1].because.as_deref(), Some("Nobody gets two parcels."));
    let rails = rails("at most 2 attempted ship within 1h")?;
    let tools = &shop::tools();
    let mut ctx = RunContext::new("shop");
    let mut call = async |call: ToolCallInputs| {
        rails.guard_tool_call(call, &mut ctx, |call| tools.call(call)).await.map(|output| output.content)
    };
    let ship = || ToolCallInputs::of(&Ship { order: Order { id: 7 } });
    assert!(call(ship()?).await?.contains("`pay`"));
    assert_eq!(call(ToolCallInputs::of(&Pay { order: Order { id: 7 }, euros: Some(12.5) })?).await?, "Some(12.5) euros for 7");
    assert_eq!(call(ship()?).await?, "7 has left");
    assert_ne!(call(ship()?).await?, "7 has left");
    assert_eq!(call(ToolCallInputs::of(&SumOfToday {})?).await?, "12.5 euros");
    assert_ne!(call(ToolCallInputs::of(&SumOfToday {})?).await?, "12.5 euros");
    Ok(())
}
