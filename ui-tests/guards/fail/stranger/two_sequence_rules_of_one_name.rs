//! The message should say: two rules have the name `bookings`, and what they remember is kept under this name: rename one of them.
use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_guards::sequence::{Sequence, sequence_rules};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Looks for a free room.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "find_room", schema = json!({ "type": "object" }))]
struct FindRoom {
    room: u32,
}

/// Books a room.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "book", schema = json!({ "type": "object" }))]
struct Book {
    room: u32,
    nights: u32,
}

tools! {
    struct HotelTools { find_room: FindRoom, book: Book }
}

fn main() -> Result<(), exo_rails_guards::ConfigError> {
    let rules = sequence_rules! {
        tools = HotelTools;
        bookings: book only after find_room same room;
        /// Long stays are for the manager.
        bookings: sum of nights in book at most 14 per user; // <- here
    };
    let sequence: Sequence = Sequence::builder().rules(rules).build()?;
    println!("{sequence:?}");
    Ok(())
}
