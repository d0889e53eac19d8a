//! The message should say: a tool returns text, JSON or a `ToolOutput`, and `Shipment` is none of them. Write
//! `ToolOutput::json(&shipment)`.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Sends a parcel.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "send_parcel", schema = json!({ "type": "object" }))]
struct SendParcel {
    to: String,
    grams: u32,
}

#[derive(Serialize)]
struct Shipment {
    to: String,
    cents: u32,
}

fn main() {
    let parcel = SendParcel::tool(|args| async move { // <- here
        if args.grams > 30_000 {
            return Err("no parcel is heavier than 30 kg");
        }
        Ok(Shipment { to: args.to, cents: 390 + args.grams / 100 })
    });
    println!("{}", parcel.name());
}
