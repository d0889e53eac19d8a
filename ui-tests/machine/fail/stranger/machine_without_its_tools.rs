//! The message should say: the nodes of `Support` use tools, so `Support::machine` takes them too: write
//! `Support::machine(ticket, &tools)`.
use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, machine};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Looks up a customer.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "look_up", schema = json!({ "type": "object" }))]
struct LookUp {
    name: String,
}

tools! {
    struct SupportTools { look_up: LookUp }
}

#[derive(Serialize, Deserialize)]
struct Ticket {
    question: String,
}

machine! {
    machine Support {
        context ticket: Ticket;
        tools: SupportTools;

        init Answer {
            prompt: "Answer: {{ticket.question}}";
            reads ticket { question };
            uses look_up;
            -> Closed;
        }
        end Closed;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: ScriptedModel = r#"[{ "say": "Ada lives in Paris." }]"#.parse()?;
    let ticket = Ticket { question: "Where does Ada live?".to_owned() };
    let tools = SupportTools {
        look_up: LookUp::tool(|args| async move { Ok::<_, OperationError>(format!("{} lives in Paris", args.name)) }),
    };
    let executor = Executor::builder(Support::machine(ticket), model).tools(tools).build()?; // <- here
    println!("{:?}", executor.run().await?.ended_at);
    Ok(())
}
