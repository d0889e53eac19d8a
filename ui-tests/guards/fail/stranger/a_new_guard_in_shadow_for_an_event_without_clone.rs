//! The program tries out its own guard in an `InMode`, and the payload of the custom event is not `Clone`. An ideal message would
//! say that a guard in shadow gets a copy of the payload, and to write `#[derive(Clone)]` above `Bid`.

use exo_rails::prelude::*;
use exo_rails::{InMode, Mode};
use exo_rails_guards::Kit;

#[derive(Debug)]
struct Bid {
    lot: u32,
    euros: u64,
}

/// The auction house fires this event before it accepts a bid.
#[derive(Event)]
#[event(payload = &mut Bid, allows = "abort")]
struct BidPlaced;

struct MostEuros(u64);

#[rail(priority = 20)]
impl MostEuros {
    #[on(BidPlaced)]
    fn check(&self, bid: &Bid) -> Verdict {
        Verdict::abort_if(bid.euros > self.0, format!("the bid for lot {} is too high", bid.lot))
    }
}

rail_chain! {
    #[chain(events = [BidPlaced])]
    struct AuctionRails { kit: Kit, most_euros: InMode<MostEuros> }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let most_euros = InMode::new(Mode::Shadow, MostEuros(1_000));
    let rails = AuctionRails { kit: Kit::from_toml("[sizes]\nmax_depth = 8")?, most_euros };
    let mut bid = Bid { lot: 7, euros: 2_500 };
    let decision = rails.dispatch::<BidPlaced>(&mut bid, &mut RunContext::new("auction")).await?;
    println!("{}", decision.is_continue());
    Ok(())
}
