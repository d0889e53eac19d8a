//! What it shows: a chain with a `Reloadable<Kit>` behind `Box<dyn GuardSet>`, chosen at run time for an agent.
use exo_rails::prelude::*;
use exo_rails::{NoRails, Reloadable};
use exo_rails_agent::{Agent, ScriptedModel};
use exo_rails_guards::{ConfigError, Kit};
use serde_json::{Value, json};

/// Refuses work outside of the opening hours.
struct OpeningHours {
    hour: u32,
}

#[rail(priority = 5)]
impl OpeningHours {
    #[on(Start)]
    fn open(&self) -> RailAction<InvokeOutput> {
        if (8..18).contains(&self.hour) {
            return RailAction::Continue;
        }
        RailAction::skip_with(InvokeOutput::text("We are closed."), "the shop is closed")
    }
}

rail_chain! {
    struct ShopRails { opening_hours: Option<OpeningHours>, kit: Reloadable<Kit> }
}

fn rails(is_guarded: bool, hour: Option<u32>, kit: &Reloadable<Kit>) -> Box<dyn GuardSet> {
    if !is_guarded {
        return Box::new(NoRails);
    }
    Box::new(ShopRails { opening_hours: hour.map(|hour| OpeningHours { hour }), kit: kit.clone() })
}

fn agent(rails: Box<dyn GuardSet>) -> Result<Agent<ScriptedModel, Box<dyn GuardSet>>, exo_rails_agent::ScriptError> {
    let call = r#"{ "call": [{ "tool": "sell", "arguments": { "to": "mallory@example.net" } }] }, { "say": "Done." }"#;
    let model: ScriptedModel = format!("[{call}, {call}]").parse()?;
    let sell = Tool::new("sell", "Sells.", json!({}), |_: Value| async { Ok::<_, OperationError>("sold") });
    Ok(Agent::builder("shop", model).tool(sell).rails(rails).build())
}

fn denying() -> Result<Kit, ConfigError> {
    Kit::from_toml("[permissions]\nrules = [{ name = 'sold-out', tool = 'sell', decision = 'deny' }]")
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kit = Reloadable::new(Kit::default());
    let open = agent(rails(true, Some(12), &kit))?;
    assert_eq!(open.run("Sell!").await?.messages[2].text(), "sold");
    kit.replace(denying()?);
    assert!(open.run("Sell!").await?.messages[2].text().contains("permissions/sold-out"));

    assert_eq!(agent(rails(true, Some(3), &kit))?.run("Sell!").await?.text, "We are closed.");
    assert!(agent(rails(true, None, &kit))?.run("Sell!").await?.messages[2].text().contains("permissions/sold-out"));
    assert_eq!(agent(rails(false, Some(3), &kit))?.run("Sell!").await?.messages[2].text(), "sold");
    Ok(())
}
