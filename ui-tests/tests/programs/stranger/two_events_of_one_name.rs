//! What it shows: two events named `Reviewed` in two modules, one with an instance of a generic type and an alias as payload and
//! substitute, both handled by one rail with state.

mod invoice {
    use exo_rails::prelude::*;

    #[derive(Debug, PartialEq)]
    pub struct Batch<T> {
        pub items: Vec<T>,
    }

    pub type Lines = Batch<u32>;

    #[derive(Event)]
    #[event(payload = (&String, &mut Batch<u32>), allows = "skip", substitute = Lines)]
    pub struct Reviewed;
}

mod contract {
    use exo_rails::prelude::*;

    #[derive(Event)]
    #[event(payload = &mut Option<String>, allows = "abort", name = "contract_reviewed")]
    pub struct Reviewed;
}

use exo_rails::NoRetry;
use exo_rails::prelude::*;

struct Lawyer {
    name: &'static str,
}

#[rail(priority = 10)]
impl Lawyer {
    #[on(invoice::Reviewed)]
    fn invoice(&self, customer: &String, lines: &mut invoice::Lines) -> RailAction<invoice::Lines, NoRetry> {
        if customer == "Ada" {
            return RailAction::skip_with(invoice::Batch { items: vec![0] }, "Ada pays nothing");
        }
        lines.items.retain(|cents| *cents > 0);
        RailAction::Continue
    }

    #[on(contract::Reviewed)]
    fn contract(&self, text: &mut Option<String>) -> Verdict {
        match text {
            Some(text) => text.push_str(self.name),
            None => return Verdict::abort(format!("{} has read nothing", self.name)),
        }
        Verdict::Continue
    }
}

rail_chain! {
    #[chain(events = [invoice::Reviewed, contract::Reviewed])]
    struct OfficeRails { lawyer: Lawyer }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RailFault> {
    let (rails, mut ctx) = (OfficeRails { lawyer: Lawyer { name: "Bo" } }, RunContext::new("office"));
    for (customer, expected) in [("Ada", vec![0]), ("Cy", vec![5, 7])] {
        let mut lines = invoice::Batch { items: vec![5, 0, 7] };
        let decision = rails.dispatch::<invoice::Reviewed>((&customer.to_owned(), &mut lines), &mut ctx).await?;
        let lines = match decision {
            Decision::Continue => lines,
            Decision::Skip(skip) => skip.substitute.expect("the rail gives one"),
            Decision::Abort(abort) => panic!("{abort}"),
        };
        assert_eq!(lines, invoice::Lines { items: expected });
    }
    let mut text = Some("Signed by ".to_owned());
    assert!(rails.dispatch::<contract::Reviewed>(&mut text, &mut ctx).await?.is_continue());
    assert_eq!(text.as_deref(), Some("Signed by Bo"));
    let decision = rails.dispatch::<contract::Reviewed>(&mut None, &mut ctx).await?;
    assert_eq!(decision.reason().unwrap(), "Bo has read nothing");
    Ok(())
}
