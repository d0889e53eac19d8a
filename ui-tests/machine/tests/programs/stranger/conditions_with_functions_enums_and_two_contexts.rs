//! Conditions read two contexts, match an enum, call a function, and use a constant.

use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, Node, machine};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
enum Speed { Standard, Express }

#[derive(Serialize, Deserialize)]
struct Parcel { kilograms: f64, speed: Speed }

#[derive(Serialize, Deserialize)]
struct Depot { vans: u32 }

const HEAVIEST: f64 = 30.0;

fn fits_on_a_bike(kilograms: f64) -> bool { kilograms <= 5.0 }

machine! {
    machine Dispatch {
        context parcel: Parcel;
        context depot: Depot;

        init Arrived {
            reads parcel { kilograms, speed };
            reads depot;
            -> Refused when parcel.kilograms > HEAVIEST;
            -> Bike when matches!(parcel.speed, Speed::Express) && fits_on_a_bike(parcel.kilograms);
            -> Van when depot.vans > 0;
            -> Waiting;
        }
        end Refused; end Bike; end Van; end Waiting;
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cases = [
        (40.0, Speed::Standard, 1, dispatch::Refused::PATH),
        (2.0, Speed::Express, 1, dispatch::Bike::PATH),
        (9.0, Speed::Express, 0, dispatch::Waiting::PATH),
    ];
    for (kilograms, speed, vans, expected) in cases {
        let machine = Dispatch::machine(Parcel { kilograms, speed }, Depot { vans });
        let done = Executor::builder(machine, "[]".parse::<ScriptedModel>()?).build()?.run().await?;
        assert_eq!(done.ended_at, [expected]);
    }
    Ok(())
}
