//! What it shows: a context is a generic type with an enum, and conditions call its methods, `matches!`, closures and constants.
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, Node, machine};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
enum Priority {
    Low,
    Urgent { hours: u32 },
}

#[derive(Serialize, Deserialize)]
struct Ticket<T> {
    priority: Priority,
    labels: Vec<String>,
    payload: T,
}

impl<T> Ticket<T> {
    fn has(&self, label: &str) -> bool {
        self.labels.iter().any(|known| known == label)
    }
}

type Invoice = Ticket<(u64, String)>;

const SOON: u32 = 4;

machine! {
    machine Triage {
        context ticket: Invoice;

        init Opened {
            reads ticket;
            -> Escalated when matches!(ticket.priority, Priority::Urgent { hours } if hours <= SOON);
            -> Billing when ticket.has("invoice") && ticket.payload.0 > 100;
            -> Foreign when { let currency = &ticket.payload.1; !currency.is_empty() && currency != "EUR" };
            -> Queue;
        }
        end Escalated;
        end Billing;
        end Foreign;
        end Queue;
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ticket = |priority, label: &str, cents, currency: &str| Ticket {
        priority,
        labels: vec![label.to_owned()],
        payload: (cents, currency.to_owned()),
    };
    for (ticket, node) in [
        (ticket(Priority::Urgent { hours: 2 }, "invoice", 500, "EUR"), triage::Escalated::PATH),
        (ticket(Priority::Urgent { hours: 9 }, "invoice", 500, "EUR"), triage::Billing::PATH),
        (ticket(Priority::Low, "invoice", 50, "CHF"), triage::Foreign::PATH),
        (ticket(Priority::Low, "question", 500, "EUR"), triage::Queue::PATH),
    ] {
        let model: ScriptedModel = "[]".parse()?;
        let done = Executor::builder(Triage::machine(ticket), model).build()?.run().await?;
        assert_eq!(done.ended_at, [node]);
    }
    Ok(())
}
