//! The message should say: `Settings` is not a rail, once for each field.

use std::sync::Arc;

use exo_rails::prelude::*;

struct Settings;

rail_chain! {
    struct MyRails { settings: Arc<Settings>, more: Option<Settings> }
}

fn main() {}
