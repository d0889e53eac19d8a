//! A requirement names a generic rail by one of its instances, and means each of them.

#![deny(warnings)]

use exo_rails::chain_requirements;
use exo_rails::prelude::*;

trait Store: Send + Sync {
    fn append(&self, line: &str);
}

struct Console;
struct Nowhere;

impl Store for Console {
    fn append(&self, line: &str) {
        println!("{line}");
    }
}

impl Store for Nowhere {
    fn append(&self, _: &str) {}
}

struct Audit<S>(S);

#[rail(priority = 90)]
impl<S: Store> Audit<S> {
    #[on(PreToolCall, PostToolCall)]
    fn record(&self, call: &ToolCallInputs) {
        self.0.append(&call.tool_name);
    }
}

chain_requirements! { struct Company { require(Audit<Console> on PreToolCall), last(Audit<Console> on PostToolCall) } }

rail_chain! {
    #[chain(requirements = Company)]
    struct ToConsole { audit: Audit<Console> }
}

rail_chain! {
    #[chain(requirements = Company, require(audit on PreToolCall))]
    struct ToNowhere { audit: Audit<Nowhere> }
}

#[test]
fn compiles_and_runs() {
    let _ = (ToConsole { audit: Audit(Console) }, ToNowhere { audit: Audit(Nowhere) });
}
