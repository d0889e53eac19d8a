//! A machine with each of its parts.
#![deny(warnings)]

use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_machine::{Node, Plan, machine};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize)]
pub struct Order {
    pub total: f64,
    pub is_paid: bool,
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "search", schema = json!({ "type": "object" }))]
pub struct Search {
    pub text: String,
}

tools! {
    pub struct DeskTools {
        pub search: Search,
    }
}

machine! {
    /// Decides about orders.
    pub machine Desk "Orders" @concurrent(2) {
        context order: Order;
        tools: DeskTools;

        /// Where orders arrive.
        init Arrived {
            reads order { total };
            reads order { is_paid };
            -> Shipped @auto "it is small" when order.total < 100.0 && order.is_paid;
            -> Work;
        }
        state Work "Work on it" {
            task Ask @retry(2) {
                prompt: "Ask about {{order.total}}.";
                agent: "clerk";
                reads order;
                writes order { total };
                uses search;
                -> Arrived;
                -> Refused;
            }
        }
        end Shipped;
        end Refused;
    }
}

/// A machine may be private, and may have nothing but nodes.
mod inner {
    exo_rails_machine::machine! {
        machine Loop {
            state One { -> Two; }
            end Two;
        }
    }

    pub fn is_complete() -> bool {
        Loop::machine().machine().nodes().len() == 2
    }
}

/// A machine in a file.
mod of_a_file {
    use exo_rails_machine::machine_file;

    machine_file!(struct Flow = "flow.dygram");

    pub fn is_complete() -> bool {
        Flow::machine().nodes().len() == 2
    }
}

#[derive(Serialize, Deserialize)]
pub struct Parcel {
    pub lines: Vec<String>,
    pub note: String,
}

/// Paths for the items of a list, a node that undoes another one, and an agent with the meta tools.
mod parcels {
    use super::Parcel;

    exo_rails_machine::machine! {
        pub machine Parcels @errorHandling("compensate") {
            context order: Parcel;

            init Arrived {
                reads order { lines };
                reads order { note };
                -> Pack @map(order.lines) when !order.note.is_empty();
                -> Done;
            }
            task Pack @timeout(5000) @checkpoint {
                prompt: "{{order.note}}";
                reads order { note };
                meta;
                -> Done;
            }
            task Unpack @compensate(Pack) {
                prompt: "Unpack it.";
            }
            end Done;
        }
    }
}

tools! {
    pub struct MyTools {
        pub search: Search,
    }
}

machine! {
    pub machine Finder {
        tools: MyTools;

        task Find {
            prompt: "Find it.";
            uses search;
            -> Done;
        }
        end Done;
    }
}

#[test]
fn compiles_and_runs() {
    let tools = DeskTools {
        search: Search::tool(|args| async move { Ok::<_, OperationError>(format!("{} is known", args.text)) }),
    };
    let definition = Desk::machine(Order { total: 12.5, is_paid: true }, &tools);
    let plan = Plan::of(&definition).expect("the machine can be executed");
    let ask = plan.node(desk::WorkAsk::PATH).expect("the node is in the plan");
    assert_eq!((&*ask.tools, ask.agent.is_some()), (&["search".to_owned()][..], true));
    assert!(inner::is_complete() && of_a_file::is_complete());

    let found = Search::tool(|args| async move { Ok::<_, OperationError>(args.text) });
    let finder = Finder::machine(&MyTools { search: found });
    assert!(finder.machine().find("Find").is_some());
    assert_eq!((finder::Find::PATH, finder::Done::PATH), ("Find", "Done"));
}
