//! What it shows: a custom event named `Future`, from another module, imported where async rails are written.

mod forecast {
    use exo_rails::prelude::*;

    #[derive(Debug)]
    pub struct Outlook {
        pub days: Vec<String>,
    }

    /// The agent has predicted the weather, and tells nobody yet.
    #[derive(Event)]
    #[event(payload = &mut Outlook, allows = "abort", name = "weather_predicted")]
    pub struct Future;
}

use exo_rails::prelude::*;
use exo_rails::testing;
use forecast::{Future, Outlook};

#[rail(priority = 10, on = [Future])]
async fn not_empty(outlook: &Outlook) -> Verdict {
    tokio::task::yield_now().await;
    Verdict::abort_if(outlook.days.is_empty(), "nobody knows the weather")
}

#[rail(priority = 20, on = [Future])]
async fn at_most_two_days(outlook: &mut Outlook) {
    outlook.days.truncate(2);
}

rail_chain! {
    #[chain(events = [Future])]
    struct WeatherRails { at_most_two_days, not_empty }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    testing::assert_order(&WeatherRails, Future::POINT, ["not_empty", "at_most_two_days"]);
    let days = ["rain", "sun", "snow"].map(str::to_owned).to_vec();
    let told = testing::at::<Future>(&WeatherRails, Outlook { days }).await;
    assert_eq!(told.assert_continued().payload.days, ["rain", "sun"]);
    testing::at::<Future>(&WeatherRails, Outlook { days: vec![] }).await.assert_aborted("nobody knows");
    assert_eq!(Future::POINT.name(), "weather_predicted");
}
