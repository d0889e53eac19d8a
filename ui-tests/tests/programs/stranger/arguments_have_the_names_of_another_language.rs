//! What it shows: typed arguments with `rename_all`, a raw identifier, an enum, a nested struct and a list that is left out when
//! it is empty; a rail changes them, and the unknown argument stays.

use exo_rails::prelude::*;
use exo_rails::testing;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Urgency {
    NextWeek,
    RightNow,
}

#[derive(Serialize, Deserialize)]
struct Room {
    floor: i8,
    #[serde(default)]
    seats: Option<u32>,
}

/// Books a room.
#[derive(Serialize, Deserialize, ToolArgs)]
#[serde(rename_all = "camelCase")]
#[tool(name = "book_room", schema = json!({ "type": "object" }))]
struct BookRoom {
    booked_for: String,
    r#type: Urgency,
    room: Room,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    guests: Vec<String>,
}

#[rail(priority = 20, on = [PreToolCall])]
fn nobody_is_in_a_hurry(args: &mut Args<BookRoom>, ctx: &RailContext) -> Verdict {
    if args.r#type == Urgency::RightNow {
        args.r#type = Urgency::NextWeek;
    }
    args.guests.push(ctx.agent().to_owned());
    Verdict::abort_if(args.room.floor < 0 || args.room.seats == Some(0), format!("{} gets no cellar", args.booked_for))
}

rail_chain! {
    struct OfficeRails { nobody_is_in_a_hurry }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    let arguments = json!({ "bookedFor": "Ada", "type": "right-now", "room": { "floor": 2 }, "trace": 7 });
    let call = ToolCallInputs::new(BookRoom::NAME).with_arguments(arguments);
    let booked = testing::at::<PreToolCall>(&OfficeRails, call).await;
    assert_eq!(
        booked.assert_continued().payload.arguments,
        json!({ "bookedFor": "Ada", "type": "next-week", "room": { "floor": 2 }, "guests": ["testing"], "trace": 7 }),
    );
    let arguments = json!({ "bookedFor": "Bo", "type": "next-week", "room": { "floor": -1 } });
    let call = ToolCallInputs::new(BookRoom::NAME).with_arguments(arguments);
    testing::at::<PreToolCall>(&OfficeRails, call).await.assert_aborted("Bo gets no cellar");
}
