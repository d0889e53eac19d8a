//! What it shows: a `macro_rules!` macro that passes a type, a name and a priority of its caller into `#[event]`, `#[rail]` and
//! `#[chain]`.

use exo_rails::prelude::*;
use exo_rails::testing;

trait Clean {
    /// Returns whether something is left.
    fn clean(&mut self) -> bool;
}

impl Clean for Vec<String> {
    fn clean(&mut self) -> bool {
        self.retain(|text| !text.is_empty());
        !self.is_empty()
    }
}

impl Clean for Option<f64> {
    fn clean(&mut self) -> bool {
        *self = self.filter(|number| number.is_finite());
        self.is_some()
    }
}

macro_rules! cleaned_event {
    ($event:ident($payload:ty) => $rail:ident at $priority:literal in $chain:ident) => {
        #[derive(Event)]
        #[event(payload = &mut $payload, allows = "abort")]
        struct $event;

        #[rail(priority = $priority, on = [$event])]
        fn $rail(payload: &mut $payload) -> Verdict {
            Verdict::abort_if(!payload.clean(), concat!("nothing is left for ", stringify!($event)))
        }

        rail_chain! {
            #[chain(events = [$event], priority = $priority)]
            struct $chain { $rail }
        }
    };
}

cleaned_event!(NamesFound(Vec<String>) => clean_names at 10 in NameRails);
cleaned_event!(PriceFound(Option<f64>) => clean_price at 20 in PriceRails);

rail_chain! {
    #[chain(events = [NamesFound, PriceFound])]
    struct ScraperRails { PriceRails, NameRails }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    let names = testing::at::<NamesFound>(&ScraperRails, vec!["Ada".to_owned(), String::new()]).await;
    assert_eq!(names.assert_continued().payload, ["Ada"]);
    let price = testing::at::<PriceFound>(&ScraperRails, Some(f64::NAN)).await;
    price.assert_aborted("nothing is left for PriceFound").assert_by("clean_price");
}
