//! The message should say: a method of a rail takes `&self`. All runs share the rail; a chain can hold it in a field
//! `ledger: Arc<Ledger>`.

use std::sync::{Arc, Mutex};

use exo_rails::prelude::*;

#[derive(Default)]
struct Ledger {
    lines: Mutex<Vec<String>>,
}

#[rail(priority = 85)]
impl Ledger {
    #[on(PostToolCall)]
    async fn record(self: Arc<Self>, call: &ToolCallInputs, output: &ToolOutput) { // <- here
        self.lines.lock().unwrap().push(format!("{}: {}", call.tool_name, output.content));
    }
}

rail_chain! {
    struct OfficeRails { ledger: Arc<Ledger> }
}

fn main() {
    let ledger = Arc::new(Ledger::default());
    let _ = OfficeRails { ledger: Arc::clone(&ledger) };
    println!("{:?}", ledger.lines.lock().unwrap());
}
