//! The message should say: `args` is an `Args<BookTable>`, and this is a `BookTable`. Write `**args = BookTable { … }`, or
//! change its fields.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Books a table in the restaurant.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "book_table", schema = json!({ "type": "object" }))]
struct BookTable {
    guests: u32,
    garden: bool,
}

/// The garden has room for four.
#[rail(priority = 20, on = [PreToolCall])]
fn large_groups_sit_inside(args: &mut Args<BookTable>) {
    if args.guests > 4 {
        *args = BookTable { guests: args.guests, garden: false }; // <- here
    }
}

rail_chain! {
    struct RestaurantRails { large_groups_sit_inside }
}

fn main() {
    let _ = RestaurantRails;
}
