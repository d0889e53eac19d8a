//! A custom event with two parts, fired by a function that is generic over the guard sets that serve it.

use exo_rails::prelude::*;
use exo_rails::{NoRails, Serves};

#[derive(Debug)]
struct Booking {
    guests: u32,
    nights: u32,
}

#[derive(Event)]
#[event(payload = (&Booking, &mut u32), allows = "abort")]
struct BookingPriced;

#[rail(priority = 10, on = [BookingPriced])]
fn not_too_many(booking: &Booking) -> Verdict {
    Verdict::abort_if(booking.guests > 6, format!("the hut has no beds for {} guests", booking.guests))
}

#[rail(priority = 20, on = [BookingPriced])]
fn long_stay(price: &mut u32, booking: &Booking) {
    *price -= if booking.nights >= 7 { *price / 10 } else { 0 };
}

rail_chain! {
    #[chain(events = [BookingPriced])]
    struct HutRails { long_stay, not_too_many }
}

async fn price<R>(rails: &R, booking: &Booking, ctx: &mut RunContext) -> Result<u32, RunError>
where
    R: GuardSet + Serves<BookingPriced>,
{
    let mut price = booking.guests * booking.nights * 30;
    match rails.dispatch::<BookingPriced>((booking, &mut price), ctx).await? {
        Decision::Continue => Ok(price),
        Decision::Abort(abort) => Err(abort.into()),
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let (family, club, mut ctx) = (Booking { guests: 4, nights: 10 }, Booking { guests: 30, nights: 2 }, RunContext::new("hut"));
    assert_eq!(price(&HutRails, &family, &mut ctx).await?, 1_080);
    assert_eq!(price(&NoRails, &family, &mut ctx).await?, 1_200);
    let error = price(&&HutRails, &club, &mut ctx).await.unwrap_err();
    assert!(error.to_string().ends_with("no beds for 30 guests"));
    Ok(())
}
